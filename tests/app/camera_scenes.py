"""Postures with an arm before a robot's camera, and what it sees, for the tests of the camera."""

from __future__ import annotations

import numpy as np

from handhold.app.camera.pinhole import make_intrinsics
from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.rasteriser import Rasteriser

NEAREST, FURTHEST = 0.36, 1.0  # [m] a D455 sees nothing nearer, and an arm is not further
LEAST = 0.005  # of the image that the arm covers
COARSE = 8  # pixels a side that are looked at as one
LOOKS_DOWN = 0.4  # [rad] of Talos' neck


def list_arm_joints(model, shapes):
    """Indices of the joints that move hands and not the camera."""
    carries = {int(j) for j in model.pinocchio.supports[shapes.camera_joint]}
    hands = [model.effector_joints[e] for e, about in enumerate(model.effectors) if about.hand is not None]
    arms = {int(j) for hand in hands for j in model.pinocchio.supports[hand]} - carries
    # Those of pinocchio begin with the universe and the free flyer.
    return [j - 2 for j in sorted(arms) if j > 1]


def draw_postures(model, shapes, random, count):
    """Draw postures with random arms of which enough is in view, and not too near for the camera."""
    i = make_intrinsics(shapes.camera)
    coarse = Intrinsics(
        width=i.width // COARSE,
        height=i.height // COARSE,
        fx=i.fx / COARSE,
        fy=i.fy / COARSE,
        cx=i.cx / COARSE,
        cy=i.cy / COARSE,
    )
    rasteriser, bodies = Rasteriser(coarse), Bodies(shapes.bodies)
    arms, postures = list_arm_joints(model, shapes), []
    while len(postures) < count:
        q = model.q_nominal.copy()
        if "head_1_joint" in model.joint_names:
            q[7 + model.joint_names.index("head_1_joint")] = LOOKS_DOWN
        for j in arms:
            q[7 + j] = random.uniform(model.lower[j], model.upper[j])
        rasteriser.clear()
        rasteriser.draw(bodies.place(*shapes.compute(q)), bodies.triangles)
        in_view = (rasteriser.inverse_depth > 1.0 / FURTHEST) & (rasteriser.inverse_depth < 1.0 / NEAREST)
        if in_view.mean() > LEAST:
            postures.append(q)
    return postures


def see_truth(model, shapes, q, world_bodies, world_poses):
    """Draw the ideal image; returns inverse depth, and which pixels see the robot."""
    rasteriser = Rasteriser(make_intrinsics(shapes.camera))
    camera_pose, poses = shapes.compute(q)
    for number, (bodies, at) in enumerate(((world_bodies, world_poses), (shapes.bodies, poses))):
        all_bodies = Bodies(bodies)
        rasteriser.draw(all_bodies.place(camera_pose, at), np.full(len(all_bodies.triangles), number))
    return rasteriser.inverse_depth, rasteriser.faces == 1
