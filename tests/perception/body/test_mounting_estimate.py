"""How far a camera is from where it should be, judged and in words."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from handhold.perception.body.mounting_estimate import (
    CERTAINTY,
    MAX_SHIFT,
    MAX_TURN,
    MountingEstimate,
    exponentiate,
    is_surely_beyond,
)

KNOWN = np.diag([np.radians(0.1) ** 2] * 3 + [1e-3**2] * 3)
NOTHING = np.zeros(3)


def estimate(degrees=NOTHING, millimeters=NOTHING, covariance=KNOWN):
    rotation, translation = np.radians(degrees), 1e-3 * np.asarray(millimeters)
    return MountingEstimate(rotation=rotation, translation=translation, covariance=covariance)


def blind(*components):
    """A covariance of which some components are not known."""
    covariance = KNOWN.copy()
    for k in components:
        covariance[k, k] = np.radians(5.0) ** 2 if k < 3 else 0.03**2
    return covariance


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-5, 0.03, 1.0, 3.0])
def test_the_matrix_of_a_rotation_vector_is_that_of_scipy(length):
    vector = length * np.array([2.0, -1.0, 2.0]) / 3.0
    assert np.allclose(exponentiate(vector), Rotation.from_rotvec(vector).as_matrix(), atol=1e-12)


def test_the_correction_has_the_camera_in_its_described_frame():
    correction = estimate([1.0, 2.0, -1.0], [1.0, 2.0, 3.0]).correction
    assert np.allclose(correction[:3, 3], [1e-3, 2e-3, 3e-3])
    assert np.allclose(correction[:3, :3], Rotation.from_rotvec([1.0, 2.0, -1.0], degrees=True).as_matrix())


def test_what_is_little_off_is_not_wrong():
    assert not estimate([0.5, 0.5, 0.0], [2.0, 2.0, 2.0]).is_wrong


@pytest.mark.parametrize("axis", range(3))
def test_two_degrees_or_ten_millimeters_that_are_known_are_wrong(axis):
    unit = np.eye(3)[axis]
    assert estimate(2.0 * unit).is_wrong
    assert estimate(NOTHING, -10.0 * unit).is_wrong


def test_what_is_off_along_what_is_not_known_is_not_called_wrong():
    assert not estimate([0.0, 4.0, 0.0], covariance=blind(1)).is_wrong


def test_what_is_known_is_judged_though_other_directions_are_not():
    assert estimate([2.0, 3.0, 0.0], covariance=blind(1)).is_wrong


@pytest.mark.parametrize("seed", range(20))
def test_noise_as_large_as_it_is_said_to_be_is_hardly_ever_beyond(seed):
    random = np.random.default_rng(seed)
    root = random.normal(size=(6, 6)) * ([[np.radians(0.2)]] * 3 + [[2e-3]] * 3)
    covariance = root @ root.T
    beyond = [is_surely_beyond(root @ random.normal(size=6), covariance, MAX_TURN, MAX_SHIFT) for _ in range(100)]
    # Three directions each of two vectors may be beyond ``CERTAINTY`` by chance, and then have to be beyond the limit as well.
    assert CERTAINTY >= 3.0
    assert np.mean(beyond) <= 0.03


def test_words_tell_where_the_camera_points_and_is():
    # A positive rotation about the axis to the right lifts what is ahead.
    assert exponentiate(np.array([0.1, 0.0, 0.0]))[1, 2] < 0.0
    said = estimate([1.5, -1.0, 0.0], [0.0, 6.0, -7.0]).describe()
    assert "turned 1.5 deg up, 1.0 deg left; displaced 6.0 mm down, 7.0 mm back" in said
    assert "description" in said
    assert "hand" not in said


def test_words_say_that_all_is_well():
    assert estimate().describe() == "the camera is where its description says"


@pytest.mark.parametrize(
    ("component", "words"),
    [(1, "turned to the side"), (2, "turned about its line of sight"), (3, "displaced to the side"), (5, "forward or back")],
)
def test_words_ask_for_a_hand_where_something_is_not_known(component, words):
    said = estimate(covariance=blind(component)).describe()
    assert "bring a hand before the camera" in said
    assert words in said


def test_words_ask_for_a_hand_as_well_as_for_a_mechanic():
    said = estimate([2.0, 0.0, 0.0], covariance=blind(1)).describe()
    assert "turned 2.0 deg up" in said
    assert "fasten it" in said
    assert "bring a hand before the camera" in said


def test_what_is_known_neither_along_axes_nor_across_is_not_known():
    across = np.array([0.0, 0.0, 0.0, 1.0, -1.0, 0.0]) / np.sqrt(2.0)
    covariance = KNOWN + 5e-3**2 * np.outer(across, across)
    assert not estimate(covariance=covariance).is_known
    assert "bring a hand" in estimate(covariance=covariance).describe()
