"""Handhold: VR teleoperation of humanoids that stay on their feet.

The packages live at the top of the repository (``app``, ``devices``, ``perception``, ``retarget``, ``robots``,
``render``) and are imported as ``handhold.<package>``, so that an installation claims one name only.
"""

__version__ = "0.1.0"
