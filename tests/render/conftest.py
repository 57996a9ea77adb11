"""Makes the modules that these tests share importable (pytest's importlib mode does not)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
