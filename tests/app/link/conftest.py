"""Makes the modules that these tests share importable (pytest's importlib mode does not)."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
