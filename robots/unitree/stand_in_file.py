"""Loads the model of a robot that stands in, and puts the world about it."""

from __future__ import annotations

from collections.abc import Callable

import mujoco

from handhold.robots.errors import DescriptionError
from handhold.robots.simulation.mujoco_world import FLOOR, ROBOT, SOLID, add_world, set_physics
from handhold.robots.unitree.stand_in_model import StandInModel
from handhold.robots.worlds import World

TIMESTEP = 1e-3
"""Step of the physics [s]."""

RUBBER = (0.02, 1.0)
"""Time constant [s] and damping ratio of what it touches: soles and fists are of rubber. At 5 ms, as our models have it, five
small spheres a sole chatter by 30 N, whoever drives it."""

URDF = ".urdf"
"""How the names of files end that are no models of MuJoCo's."""


def find_mass(source: StandInModel) -> float:
    """Find what a scale would show of a robot [kg].

    Raises:
        DescriptionError: The file cannot be read.
    """
    return float(_compile(source, lambda _spec: None).body_mass.sum())


def _compile(source: StandInModel, change: Callable[[mujoco.MjSpec], None]) -> mujoco.MjModel:
    """Load a model with a change of ours.

    Raises:
        DescriptionError: The file cannot be read.
    """
    try:
        spec = mujoco.MjSpec.from_file(str(source.file))
        _prepare(spec, source)
        change(spec)
        return spec.compile()
    except ValueError as error:
        problem = str(error).splitlines()[0]
        raise DescriptionError(str(source.file), "", problem, "take a MuJoCo model of the robot, or its URDF") from None


def _prepare(spec: mujoco.MjSpec, source: StandInModel) -> None:
    """Let links weigh what is said; a URDF, whose root is fixed, gets a free base, and keeps only the shapes that touch."""
    for name, ratio in source.mass_ratios.items():
        body = spec.body(name)
        body.mass, body.inertia, body.fullinertia = ratio * body.mass, ratio * body.inertia, ratio * body.fullinertia
    if source.file.suffix == URDF:
        spec.worldbody.first_body().add_freejoint()
        for geom in list(spec.geoms):
            if not any(word in geom.name for word in (source.soles, source.fists)):
                spec.delete(geom)
        kept = {geom.meshname for geom in spec.geoms}
        for mesh in [mesh for mesh in spec.meshes if mesh.name not in kept]:
            spec.delete(mesh)
        # Of a URDF, MuJoCo looks for all meshes in one folder, and makes what never moves, walls too, part of the world.
        spec.strippath = spec.compiler.fusestatic = False


def load_stand_in(source: StandInModel, world: World) -> mujoco.MjModel:
    """Load a robot and put the world about it; soles and hands alone touch anything.

    Raises:
        DescriptionError: The file cannot be read.
    """

    def put_into_world(spec: mujoco.MjSpec) -> None:
        for geom in list(spec.worldbody.geoms):
            spec.delete(geom)
        set_physics(spec, TIMESTEP)
        add_world(spec, world)

    model = _compile(source, put_into_world)
    model.geom_solref[:] = RUBBER
    touching = {*find_shapes(model, source.soles), *find_shapes(model, source.fists)}
    for geom in range(model.ngeom):
        if model.geom(geom).name == FLOOR or model.body(model.geom_bodyid[geom]).name.startswith(SOLID):
            continue
        touches = bool(model.geom_contype[geom]) and geom in touching
        model.geom_contype[geom], model.geom_conaffinity[geom] = (ROBOT if touches else 0), 0
    return model


def find_shapes(model: mujoco.MjModel, word: str) -> list[int]:
    """Return the shapes with a word in their names, or in that of the link that carries them."""
    return [g for g in range(model.ngeom) if word in model.geom(g).name or word in model.body(model.geom_bodyid[g]).name]
