"""A blend begins at the old reference, ends at the new one, and its velocities are those of what it does."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.blend import BLENDING, MAX_SPEED, Blend
from handhold.robots.reference import Reference

DT = 1e-4
FINE = 2e-5  # differences over two of these steps, of what moves by 1/s at most


def random_reference(seed: int) -> Reference:
    random = np.random.default_rng(seed)

    def pose() -> np.ndarray:
        return pin.SE3(pin.exp3(0.3 * random.normal(size=3)), random.normal(size=3)).homogeneous

    q = np.concatenate([random.normal(size=3), pin.Quaternion(pose()[:3, :3]).coeffs(), random.normal(size=4)])
    return Reference(
        time=0.0,
        q=q,
        v=np.zeros(10),
        joint_torques=random.normal(size=4),
        position_com_in_world=random.normal(size=3),
        velocity_com_in_world=np.zeros(3),
        acceleration_com_in_world=np.zeros(3),
        support_polygon=np.zeros((0, 2)),
        effector_poses=np.array([pose() for _ in range(3)]),
        effector_velocities=np.zeros((3, 6)),
        contacts=np.array([True, True, False]),
        contact_normals=np.tile([0.0, 0.0, 1.0], (3, 1)),
        contact_wrenches=random.normal(size=(3, 6)) * [[1.0], [1.0], [0.0]],
    )


@pytest.fixture
def pair() -> tuple[Reference, Reference]:
    new = random_reference(1)
    old = random_reference(2)
    # The feet stand where they stand.
    poses = np.concatenate([new.effector_poses[:2], old.effector_poses[2:]])
    return replace(old, effector_poses=poses), new


NUMBERS = ("joint_torques", "position_com_in_world", "effector_poses", "contact_wrenches")


def test_it_begins_at_the_old_reference_and_ends_at_the_new_one(pair):
    old, new = pair
    blend = Blend(old, new)
    for name in NUMBERS:
        assert getattr(blend.apply(new), name) == pytest.approx(getattr(old, name), abs=1e-9)
    assert blend.apply(new).q[7:] == pytest.approx(old.q[7:])
    assert not blend.over
    blend.advance(blend.duration)
    assert blend.over
    for name in (*NUMBERS, "q", "v"):
        assert getattr(blend.apply(new), name) == pytest.approx(getattr(new, name), abs=1e-9)


def test_a_pull_that_the_new_mode_does_not_balance_fades(pair):
    old, new = pair
    forces = np.zeros((3, 3))
    assert Blend(old, new).apply(new).external_forces is None
    forces[2] = 30.0, 0.0, -5.0
    blend = Blend(replace(old, external_forces=forces), new)
    assert blend.apply(new).external_forces == pytest.approx(forces)
    blend.advance(0.5 * blend.duration)
    assert blend.apply(new).external_forces == pytest.approx(0.5 * forces)
    new = replace(new, external_forces=forces)
    assert Blend(old, new).apply(new).external_forces == pytest.approx(np.zeros((3, 3)))


@pytest.mark.parametrize(("difference", "duration"), [(0.1, BLENDING), (1.5, 1.875 * 1.5 / MAX_SPEED)])
def test_a_large_difference_fades_no_faster_than_a_joint_may_be_moved(pair, difference, duration):
    _, new = pair
    off = np.zeros(len(new.q))
    off[8] = difference
    blend = Blend(replace(new, q=new.q + off), new)
    assert blend.duration == pytest.approx(duration)
    fastest = 0.0
    while not blend.over:
        fastest = max(fastest, float(np.abs(blend.apply(new).v[6:]).max()))
        blend.advance(0.001)
    assert fastest <= MAX_SPEED * (1.0 + 1e-9)


@pytest.mark.parametrize("elapsed", [0.05, 0.2, 0.4])
def test_its_velocities_are_the_rates_of_its_positions(pair, elapsed):
    old, new = pair
    blend = Blend(old, new)
    blend.advance(elapsed - DT)
    before = blend.apply(new)
    blend.advance(DT)
    now = blend.apply(new)
    blend.advance(DT)
    after = blend.apply(new)

    def rate(name: str) -> np.ndarray:
        return (getattr(after, name) - getattr(before, name)) / (2.0 * DT)

    assert now.velocity_com_in_world == pytest.approx(rate("position_com_in_world"), abs=FINE)
    assert now.acceleration_com_in_world == pytest.approx(rate("velocity_com_in_world"), abs=FINE)
    assert now.effector_velocities[:, :3] == pytest.approx(rate("effector_poses")[:, :3, 3], abs=FINE)
    assert now.v[6:] == pytest.approx(rate("q")[7:], abs=FINE)
    turned = [pin.log3(a[:3, :3] @ b[:3, :3].T) for a, b in zip(after.effector_poses, before.effector_poses, strict=True)]
    assert now.effector_velocities[:, 3:] == pytest.approx(np.array(turned) / (2.0 * DT), abs=FINE)
