"""``bench controller``: ticks of the whole-body controller on Talos through the far-reach scenario in MuJoCo."""

from __future__ import annotations

from handhold.app.lab.benches.seiko import command_far_reach
from handhold.app.lab.benches.stances import make_seiko
from handhold.app.lab.benches.timing import KernelClock, Stopwatch, measure_ticks
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.bracing.mode import BracingMode
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.model import load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
TICKS = 6000
KERNEL_EVERY = 10


def run_controller_bench() -> Outcome:
    """Time building, solving and applying, tick by tick, on the states of a simulated far reach."""
    model = load_model("talos")
    solver, controller = DaqpSolver(), WholeBodyController(model, DaqpSolver())
    seiko = make_seiko(model)
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(seiko.q)
    mode = BracingMode(model, solver)
    reference = mode.enter(state).reference
    for _ in range(50):
        controller.track(reference, state)
    stopwatch, kernel = Stopwatch(), KernelClock()
    targets = command_far_reach(model, mode.seiko)
    for tick in range(TICKS):
        if tick % round(PERIOD / DT) == 0:
            reference = mode.follow(next(targets), state, PERIOD)
        stopwatch.start()
        program = controller.build(reference, state)
        stopwatch.mark("build")
        solution = solver.solve(program)
        stopwatch.mark("solve")
        command = controller.apply(solution, state)
        stopwatch.mark("apply")
        body.send(command)
        body.advance(DT)
        state = body.read()
        if tick % KERNEL_EVERY == 0:
            kernel.tick()
    body.close()
    figures = measure_ticks(stopwatch.stages, kernel.microseconds, must=(600.0, 3.4), aim=(250.0, 1.4))
    return Outcome(
        name="controller",
        robot="talos",
        engine="mujoco",
        seed=0,
        commit=current_commit(),
        duration_s=TICKS * DT,
        fell=None,
        figures=[*figures, Figure("qp_failures", float(controller.failures), "-", must=0.0)],
    )
