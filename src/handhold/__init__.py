"""Handhold: VR teleoperation of humanoids that stay on their feet.

The packages live at the top of the repository (``app``, ``devices``, ``perception``, ``retarget``, ``robots``,
``render``) and are imported as ``handhold.<package>``, so that an installation claims one name only.
"""

import os
from pathlib import Path

from handhold.compiled import choose_cache_folder, hold

__version__ = "0.2.0"

# Numba reads it when it is first imported, which nothing above this line does.
if not os.environ.get("NUMBA_CACHE_DIR"):
    os.environ["NUMBA_CACHE_DIR"] = str(choose_cache_folder(Path(__file__).parent, dict(os.environ)))
hold(Path(os.environ["NUMBA_CACHE_DIR"]))
