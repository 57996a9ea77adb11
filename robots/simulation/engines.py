"""The physics engines by name: the one table from a name to a simulated robot."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from handhold.robots.errors import EngineNotAvailable
from handhold.robots.model import RobotModel
from handhold.robots.robot import SimulatedRobot
from handhold.robots.simulation.mechanics import AS_MODELLED, Mechanics
from handhold.robots.worlds import World

# Name of the engine: the module (imported only when asked for), the class, and how to get the engine where it is missing.
_ENGINES = {
    "mujoco": ("handhold.robots.simulation.mujoco_robot", "MujocoRobot", "install it with: pip install 'handhold[sim]'"),
    "pybullet": (
        "handhold.robots.simulation.pybullet_robot",
        "PybulletRobot",
        "its last wheels are for Python 3.11: install it there with: pip install 'handhold[sim]', or take the engine 'mujoco'",
    ),
}


def known_engines() -> tuple[str, ...]:
    """Return the names of the physics engines Handhold can use, the default first."""
    return tuple(_ENGINES)


def make_robot(
    engine: str, model: RobotModel, world: World, *, timestep: float = 1e-3, mechanics: Mechanics = AS_MODELLED
) -> SimulatedRobot:
    """Make a simulated robot that stands in its nominal configuration.

    Args:
        engine: Name of a physics engine, one of ``known_engines()``.
        model: The robot.
        world: What is around it.
        timestep: Step of the physics [s].
        mechanics: In what the simulated body differs from its model.

    Raises:
        EngineNotAvailable: No such engine, or this Python does not have it.
    """
    if engine not in _ENGINES:
        raise EngineNotAvailable(engine, f"take one of: {', '.join(_ENGINES)}")
    module, name, remedy = _ENGINES[engine]
    try:
        body: Callable[..., SimulatedRobot] = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name != engine:
            raise
        raise EngineNotAvailable(engine, remedy) from None
    return body(model, world, timestep=timestep, mechanics=mechanics)
