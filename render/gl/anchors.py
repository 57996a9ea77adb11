"""How shaders know what an element moves with."""

from __future__ import annotations

from handhold.render.scene import Anchor

ANCHOR_NUMBERS = {Anchor.WORLD: 0, Anchor.HEAD: 1, Anchor.LEFT_HAND: 2, Anchor.RIGHT_HAND: 3}
"""Index into ``world_from_anchor`` in ``eye.glsl``."""
