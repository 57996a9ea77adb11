"""``bench footholds``: one choice of a foothold, and one search ahead for as many as a stop takes, along a beam."""

from __future__ import annotations

import numpy as np

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.retarget.walking.entry import find_walking_feet
from handhold.retarget.walking.foothold_choice import choose_foothold
from handhold.retarget.walking.footsteps import LEFT, RIGHT, WalkingVelocity, plan_footsteps
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.path_ahead import Walk, find_stepping_ratio
from handhold.retarget.walking.stride import Stance, list_strides
from handhold.robots.description import Walking
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

WORLD = "walk_beam"

STANCES = 200
"""Stances on the beam, at random."""

ALONG, ASIDE, TURNED = (0.8, 2.6), (0.07, 0.085), 0.02
"""Where along the beam, how far beside its middle a foot stands [m], and how far it is turned [rad]."""

HEIGHT = 0.06
"""Of the beam [m]."""


def run_foothold_bench(robot: str) -> Outcome:
    """Time both on a robot by name or file.

    Raises:
        RobotError: The robot cannot be had.
        CannotWalk: It does not walk.
    """
    model = load_model(robot)
    walking, feet = find_walking_feet(model)
    ground = GroundMap(list_surfaces(load_world(WORLD)), np.array(model.effectors[feet[0]].half_lengths))
    kernel, times = KernelClock(), Stopwatch()
    random = np.random.default_rng(0)
    for stance in range(-1, STANCES):
        watch = times if stance >= 0 else Stopwatch()  # the first one compiles
        _time_stance(ground, walking, random, watch)
        kernel.tick()
    figures = [_describe(name, times.stages[name], kernel.microseconds) for name in ("choose", "search")]
    return Outcome(
        name="footholds",
        robot=model.description.name,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=0.0,
        fell=None,
        figures=[*(figure for pair in figures for figure in pair), Figure("kernel", kernel.microseconds, "us")],
    )


def _time_stance(ground: GroundMap, walking: Walking, random: np.random.Generator, times: Stopwatch) -> None:
    """Time the choice of the next foothold, and the search of all that are looked for ahead, from a stance at random."""
    side = random.choice([LEFT, RIGHT])
    velocity = WalkingVelocity(forward=random.uniform(0.2, 1.0) * walking.speed)
    stance = Stance(
        support=np.array([random.uniform(*ALONG), side * random.uniform(*ASIDE)]),
        angle=random.uniform(-TURNED, TURNED),
        height=HEIGHT,
        lift_off_height=HEIGHT,
    )
    strides = list_strides(plan_footsteps(velocity, side, stance.angle, 2, walking), velocity.direction)
    times.start()
    choose_foothold(ground, stance, strides)
    times.mark("choose")
    find_stepping_ratio(ground, stance, side, Walk(velocity=velocity, gait=walking))
    times.mark("search")


def _describe(name: str, times: list[int], kernel: float) -> tuple[Figure, Figure]:
    median, largest = float(np.median(times)) / 1e3 / kernel, float(np.percentile(times, 99)) / 1e3 / kernel
    return Figure(f"{name}_kernels", median, "-"), Figure(f"{name}_kernels_p99", largest, "-")
