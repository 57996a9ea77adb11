"""Draw what the stability constraint is for: the same walk with it, without it, and with a horizon of half a second.

    .venv/bin/python docs/make_walking_plots.py

The gait alone, on its own plan, with feet and ground as it thinks: no physics.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from handhold.app.lab.benches.planned_walk import DT, PlannedWalk, make_gait
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.mpc import MpcParameters
from handhold.retarget.walking.parameters import GaitParameters
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver

DURATION, SPEED = 12.0, 0.3
FARTHEST = 0.6  # [m] beyond it a curve is cut off: the robot has long fallen

WALKS = {
    "horizon 2 s, stability constraint with anticipative tail": GaitParameters(),
    "horizon 2 s, periodic tail": GaitParameters(mpc=MpcParameters(tail="periodic")),
    "horizon 2 s, no stability constraint": GaitParameters(mpc=MpcParameters(tail="free")),
    "horizon 0.5 s, anticipative tail": GaitParameters(cells=5, beyond=35),
    "horizon 0.5 s, the ZMP taken to stay after it": GaitParameters(cells=5, mpc=MpcParameters(tail="none")),
    "horizon 0.5 s, no stability constraint": GaitParameters(cells=5, mpc=MpcParameters(tail="free")),
}


def walk(model: RobotModel, parameters: GaitParameters) -> Iterator[tuple[float, float, int]]:
    """Yield time, distance of the centre of mass from the middle of the feet, and programs that had to be recovered."""
    planned = PlannedWalk(make_gait(model, DaqpSolver(), parameters=parameters))
    for k in range(round(DURATION / DT)):
        sample = planned.step(WalkingVelocity(forward=SPEED))
        off = float(np.linalg.norm(sample.pendulum.com - sample.foot_poses[:, :2, 3].mean(axis=0)))
        yield k * DT, off, planned.gait.infeasible
        if off > FARTHEST:
            return


def main() -> None:
    """Write the picture."""
    model, canvas = load_model("talos"), Figure(figsize=(9, 4.5), layout="constrained")
    axes = canvas.subplots()
    for title, parameters in WALKS.items():
        times, off, recovered = zip(*walk(model, parameters), strict=True)
        fate = f"{recovered[-1]} plans recovered" if recovered[-1] else "all plans feasible"
        axes.plot(times, off, label=f"{title}: {fate}", lw=1.0)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("centre of mass from the middle of the feet [m]")
    axes.set_ylim(0.0, FARTHEST)
    axes.legend(fontsize="small")
    canvas.savefig(Path(__file__).parent / "images" / "walking-stability.png", dpi=90)


if __name__ == "__main__":
    main()
