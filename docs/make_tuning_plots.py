"""Make the plots of docs/tuning.md: far-reach on Talos in MuJoCo with one parameter changed at a time."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from handhold.app.host.cycle import Cycle
from handhold.app.lab.scenarios.far_reach import FAR_REACH
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.trace import Trace
from handhold.retarget.bracing.seiko.parameters import TABLE_I, SeikoParameters
from handhold.robots.control.controller_parameters import ControllerParameters
from handhold.robots.model import load_model

DEFAULT = SeikoParameters()
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "seiko": {
        "default": {"seiko": DEFAULT},
        "Table I": {"seiko": TABLE_I},
        "velocity 1e4": {"seiko": replace(DEFAULT, velocity=1e4)},
        "zmp 0": {"seiko": replace(DEFAULT, zmp=0.0)},
        "barrier 20 / s": {"seiko": replace(DEFAULT, barrier=20.0)},
        "dcm_scale 1.2": {"seiko": replace(DEFAULT, dcm_scale=1.2)},
    },
    "controller": {
        "default": {},
        "dcm_gain 0.5": {"controller": ControllerParameters(dcm_gain=0.5)},
        "dcm_gain 10": {"controller": ControllerParameters(dcm_gain=10.0)},
        "com weight 10": {"controller": ControllerParameters(com=10.0)},
        "posture weight 30": {"controller": ControllerParameters(posture=30.0)},
    },
}


def draw(runs: dict[str, Trace], file: Path) -> None:
    """Draw the hand, the error of the centre of mass and a foot's normal force of all runs."""
    canvas = Figure(figsize=(11, 9), layout="constrained")
    axes = canvas.subplots(3, 1, sharex=True)
    for name, trace in runs.items():
        times = np.array(trace.times)
        label = f"{name} (fell)" if trace.fell else name
        axes[0].plot(times, np.array(trace.effectors)[:, 2, 0], label=label)
        error = np.linalg.norm(np.array(trace.com) - np.array(trace.com_reference), axis=1)
        axes[1].semilogy(times, 1e3 * np.maximum(error, 1e-7))
        axes[2].plot(times, np.array(trace.wrenches)[:, 0, 2])
    for axis, title in zip(axes, ("left hand x [m]", "centre of mass error [mm]", "left foot force [N]"), strict=True):
        axis.set_ylabel(title)
    axes[0].legend(ncols=3)
    axes[-1].set_xlabel("time [s]")
    canvas.savefig(file, dpi=80)


def main() -> None:
    """Run every variant and print its figures."""
    model = load_model("talos")
    for group, variants in VARIANTS.items():
        runs = {}
        for name, parameters in variants.items():
            runs[name] = play(FAR_REACH, model, "mujoco", 0, partial(Cycle, **parameters))
            figures = {figure.name: float(f"{figure.value:.3g}") for figure in FAR_REACH.measure(model, runs[name])}
            jerk = np.abs(np.diff(np.array(runs[name].wrenches)[:, 0, 2])).max()
            print(group, name, "fell" if runs[name].fell else "stood", figures, f"{jerk:.3g} N/ms", flush=True)
        draw(runs, Path(__file__).parent / "images" / f"tuning-{group}.png")


if __name__ == "__main__":
    main()
