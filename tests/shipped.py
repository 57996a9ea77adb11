"""The robots that are shipped, by what they stand on."""

from __future__ import annotations

from handhold.robots.description import known_robots, load_description

ON_FEET = tuple(name for name in known_robots() if not load_description(name).is_fixed)
BOLTED_DOWN = tuple(name for name in known_robots() if load_description(name).is_fixed)
