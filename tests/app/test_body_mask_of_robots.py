"""Robots' own bodies in what they see, with joints and cameras that are a little off."""

import math

import numpy as np
import pinocchio as pin
import pytest
from camera_scenes import draw_postures, see_truth

from handhold.app.camera.pinhole import make_intrinsics
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.world_shapes import make_world_bodies
from handhold.perception.body.body_mask import BodyMask
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

JOINT_ERROR = math.radians(0.5)
MOUNTING_ERROR = math.radians(1.0)
HANDFUL = 5  # pixels of the body that may stay in an image, of thousands
LOST = 0.01  # of what is seen of the floor


@pytest.mark.parametrize(("robot", "seed"), [("talos", 7), ("talos", 8), ("g1", 9)])
def test_hardly_a_pixel_of_the_body_stays_though_joints_and_camera_are_off(robot, seed):
    model = load_model(robot)
    shapes = RobotShapes(model)
    floor, _ = make_world_bodies(load_world("flat"))
    intrinsics = make_intrinsics(shapes.camera)
    mask = BodyMask(intrinsics, shapes.bodies)
    random = np.random.default_rng(seed)
    for number, q in enumerate(draw_postures(model, shapes, random, 20)):
        inverse_depth, body = see_truth(model, shapes, q, floor, np.eye(4)[None])
        depth = StereoNoise().apply(inverse_depth, intrinsics, random)
        frame = DepthFrame(time=0.0, number=number, depth=depth, unit=UNIT, intrinsics=intrinsics)
        measured = q.copy()
        measured[7:] += JOINT_ERROR * random.choice([-1.0, 1.0], size=model.n)
        camera_pose, poses = shapes.compute(measured)
        axis = random.normal(size=3)
        turned = np.eye(4)
        turned[:3, :3] = pin.exp3(MOUNTING_ERROR * axis / np.linalg.norm(axis))
        masked = mask.apply(frame, camera_pose @ turned, poses)
        seen, stays = frame.depth > 0, masked.frame.depth > 0
        assert (body & seen).sum() > 500
        assert (body & stays).sum() <= HANDFUL
        assert (~body & stays).sum() > (1.0 - LOST) * (~body & seen).sum()
