"""The grid of solids as lines."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.render.browser.solid_grid import OFF_THE_FACE, list_grid_lines
from handhold.render.scene import Shape, Solids

SINGLE = 1e-5  # [m]


def make_solid(shape: Shape, sizes: tuple[float, float, float], grid: float = 0.25) -> Solids:
    transform = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 1.0), np.array([1.0, 2.0, 0.5])).homogeneous
    transform[:3, :3] *= sizes
    return Solids(shape=shape, transforms=transform[None].astype(np.float32), colors=np.ones((1, 4), np.float32), grid=grid)


def find_own_places(solids: Solids, ends: np.ndarray) -> np.ndarray:
    """Return ends of lines in the unit shape's own frame."""
    places = np.concatenate([ends.reshape(-1, 3), np.ones((2 * len(ends), 1))], axis=1)
    return np.linalg.solve(solids.transforms[0].astype(float), places.T).T[:, :3].reshape(-1, 2, 3)


def test_lines_lie_on_the_faces_of_a_box_at_multiples_of_the_grid_from_its_middle() -> None:
    sizes = np.array([0.1, 2.4, 2.0])
    solids = make_solid(Shape.BOX, tuple(sizes))
    lines = list_grid_lines(solids)
    assert lines is not None
    own = find_own_places(solids, lines.ends) * sizes
    off = np.abs(own) - 0.5 * sizes
    assert off.max() == pytest.approx(OFF_THE_FACE, abs=SINGLE)
    assert (np.abs(off - OFF_THE_FACE) < SINGLE).any(axis=2).all()
    # Across both ways: 9 lines of 2 m and 7 of 2.4 m on each of the two large faces.
    front = np.abs(off[:, 0, 0] - OFF_THE_FACE) < SINGLE
    assert front.sum() == 2 * (9 + 7)


@pytest.mark.parametrize(("shape", "grid"), [(Shape.BOX, 0.0), (Shape.SPHERE, 0.25)])
def test_what_has_no_grid_has_no_lines(shape: Shape, grid: float) -> None:
    assert list_grid_lines(make_solid(shape, (1.0, 1.0, 1.0), grid)) is None


def test_a_cylinder_has_rings() -> None:
    solids = make_solid(Shape.CYLINDER, (0.2, 0.2, 1.4))
    lines = list_grid_lines(solids)
    assert lines is not None
    own = find_own_places(solids, lines.ends) * (0.2, 0.2, 1.4)
    assert np.linalg.norm(own[..., :2], axis=-1) == pytest.approx(0.1 + OFF_THE_FACE, abs=SINGLE)
    assert sorted(set(np.round(own[..., 2].ravel(), 3).tolist())) == pytest.approx([-0.5, -0.25, 0.0, 0.25, 0.5])
