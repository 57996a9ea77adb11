"""The conversion between OpenXR's axes and the robot's."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openxr_axes import convert_pose_to_openxr

from handhold.devices.openxr.poses import (
    ROTATION_OPENXR_TO_HANDHOLD,
    compute_heading,
    compute_origin_below,
    convert_pose_from_openxr,
)

ROUNDING = 1e-12  # [m] and [-]: double precision, numbers of order 1 to 10
ROUNDING_OF_ANGLES = 1e-7  # [rad]: the inverse tangent loses half the digits where a head is nearly upside down

coordinates = st.floats(-10.0, 10.0)
positions = st.tuples(coordinates, coordinates, coordinates).map(np.array)
quaternions = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 4)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: q / np.linalg.norm(q))
)
poses = st.builds(convert_pose_from_openxr, positions, quaternions)
angles = st.floats(-3.1, 3.1)


def distance(one: pin.SE3, other: pin.SE3) -> float:
    return float(np.abs(one.homogeneous - other.homogeneous).max())


@given(poses)
def test_a_pose_converted_there_and_back_is_the_same(pose: pin.SE3) -> None:
    assert distance(convert_pose_from_openxr(*convert_pose_to_openxr(pose)), pose) < ROUNDING


@given(positions, quaternions)
def test_converting_keeps_rotations_proper_and_lengths(position: np.ndarray, quat_xyzw: np.ndarray) -> None:
    pose = convert_pose_from_openxr(position, quat_xyzw)
    assert np.abs(pose.rotation @ pose.rotation.T - np.eye(3)).max() < ROUNDING
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0, abs=ROUNDING)
    assert np.linalg.norm(pose.translation) == pytest.approx(np.linalg.norm(position), abs=ROUNDING)


@given(positions, quaternions, positions, quaternions)
def test_converting_keeps_products_of_poses(
    first_position: np.ndarray, first_quat: np.ndarray, position: np.ndarray, quat: np.ndarray
) -> None:
    def in_openxr(p: np.ndarray, q: np.ndarray) -> pin.SE3:
        return pin.SE3(pin.Quaternion(q[3], q[0], q[1], q[2]).matrix(), p)

    product = in_openxr(first_position, first_quat) * in_openxr(position, quat)
    converted = convert_pose_from_openxr(product.translation, pin.Quaternion(product.rotation).coeffs())
    expected = convert_pose_from_openxr(first_position, first_quat) * convert_pose_from_openxr(position, quat)
    assert distance(converted, expected) < 1e2 * ROUNDING  # products of numbers of order 10


def test_the_axes_are_those_of_the_two_conventions() -> None:
    C = ROTATION_OPENXR_TO_HANDHOLD
    assert (C @ [0.0, 0.0, -1.0]).tolist() == [1.0, 0.0, 0.0]  # forward
    assert (C @ [-1.0, 0.0, 0.0]).tolist() == [0.0, 1.0, 0.0]  # left
    assert (C @ [0.0, 1.0, 0.0]).tolist() == [0.0, 0.0, 1.0]  # up
    assert np.linalg.det(C) == 1.0


def test_a_turn_to_the_left_about_the_vertical_stays_one() -> None:
    half = math.radians(30) / 2
    pose = convert_pose_from_openxr(np.zeros(3), np.array([0.0, math.sin(half), 0.0, math.cos(half)]))
    assert np.abs(pose.rotation - pin.utils.rotate("z", math.radians(30))).max() < ROUNDING


@given(positions, quaternions, st.floats(0.5, 2.0))
def test_the_length_of_a_quaternion_does_not_matter(position: np.ndarray, quat_xyzw: np.ndarray, scale: float) -> None:
    scaled = convert_pose_from_openxr(position, scale * quat_xyzw)
    assert distance(scaled, convert_pose_from_openxr(position, quat_xyzw)) < ROUNDING


@pytest.mark.parametrize("quat_xyzw", [np.zeros(4), np.full(4, math.nan), np.array([math.inf, 0.0, 0.0, 1.0])])
def test_a_quaternion_that_means_nothing_gives_a_pose_that_is_not_finite(quat_xyzw: np.ndarray) -> None:
    assert not np.isfinite(convert_pose_from_openxr(np.zeros(3), quat_xyzw).rotation).any()


@given(angles, st.floats(-1.57, 1.57))
def test_the_heading_of_a_head_that_nods_is_where_it_faces(yaw: float, pitch: float) -> None:
    heading = compute_heading(pin.rpy.rpyToMatrix(0.0, pitch, yaw))
    assert math.remainder(heading - yaw, math.tau) == pytest.approx(0.0, abs=ROUNDING_OF_ANGLES)


@given(positions, quaternions)
def test_seen_from_the_origin_below_it_a_head_faces_forward(position: np.ndarray, quat_xyzw: np.ndarray) -> None:
    head = convert_pose_from_openxr(position, quat_xyzw)
    twist = pin.Quaternion(head.rotation)
    if math.hypot(twist.z, twist.w) < 1e-3:
        return  # upside down: no heading
    seen = compute_origin_below(head).actInv(head)
    assert compute_heading(seen.rotation) == pytest.approx(0.0, abs=ROUNDING_OF_ANGLES)
    np.testing.assert_allclose(seen.translation, [0.0, 0.0, head.translation[2]], atol=ROUNDING)
