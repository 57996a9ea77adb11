"""The first frames of a process compile what they call; they must not be those of a session."""

from __future__ import annotations

import numpy as np

from handhold.render.elements.arrows import lay_arrows
from handhold.render.elements.candidates import lay_patches
from handhold.render.elements.contacts import compute_arrows
from handhold.render.elements.hand_model import draw_hand_model
from handhold.render.elements.robots import find_differences, mark_loads
from handhold.render.elements.stage import Stage
from handhold.render.elements.surface_points import lay_points


def warm_up(stage: Stage) -> None:
    """Call what is compiled, so that no frame waits for it: without numba's cache it takes seconds."""
    q = stage.model.q_nominal
    joints = stage.compute_joints(q)
    effectors = stage.compute_effectors(joints)
    mark_loads(stage.compute_loads(q, np.zeros(stage.model.n)), stage.finger_parents)
    lay_patches(np.eye(4)[None], np.zeros((3, 2)), np.array([3]))
    lay_arrows(np.zeros((1, 3)), np.zeros((1, 3)), 1.0, 1.0)
    lay_points(np.eye(4), np.zeros((3, 2)), np.zeros(3, dtype=np.int64), np.zeros((1, 3)))
    draw_hand_model("left", held=True, engaged=False)
    find_differences(joints, joints)
    compute_arrows(effectors, np.zeros((len(effectors), 6)), np.zeros(3), stage.standing, 1.0)
