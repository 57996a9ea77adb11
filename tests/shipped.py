"""The robots that are shipped, by what they stand on."""

from __future__ import annotations

from handhold.robots.description import known_robots, load_description

ON_FEET = tuple(name for name in known_robots() if not load_description(name).is_fixed)
BOLTED_DOWN = tuple(name for name in known_robots() if load_description(name).is_fixed)
LEVEL_FEET = tuple(name for name in ON_FEET if name != "h1")
"""Whose soles stay level wherever the base goes: the ankles of H1 do not roll, and what sways sideways tips them."""
