"""A task and a limit that no package knows, in a program of their own: one class each, and nothing else."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model
from handhold.robots.programs.whole_body_program import Dependence, WholeBodyProgram
from handhold.robots.qp import DaqpSolver
from handhold.robots.tasks.contact_motion import ContactsAtRest
from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.normal_force_limits import NormalForceLimits
from handhold.robots.tasks.posture import BaseDamping
from handhold.robots.tasks.posture_acceleration import PostureAccelerationTask
from handhold.robots.tasks.task import FORCE_UNIT, Limit, Task
from handhold.robots.tasks.torque_limits import TorqueLimits
from handhold.robots.tasks.wrench import WrenchTask
from handhold.robots.tasks.wrench_cone import WrenchCone


class LoadDifference(Task):
    """The first contact bears more than the second by a force: w (N_1 lambda - N_2 lambda - d)^2."""

    def __init__(self, stance, nv):
        super().__init__(1)
        self.stance, self.nv, self.force = stance, nv, 0.0

    def fill(self):
        self.rows[0, self.nv :] = 1e3 * FORCE_UNIT * (self.stance.normals[0] - self.stance.normals[1])
        self.targets[0] = 1e3 * self.force


class SlowestFall(Limit):
    """The base sinks no faster than an acceleration."""

    def __init__(self, rotation):
        super().__init__(1)
        self.rotation = rotation

    def fill(self):
        self.rows[0, :3] = self.rotation[2]
        self.lower[0] = 0.2

    def name_row(self, _row):
        return "sinking"


class Standing:
    """Talos on both feet, at rest."""

    def __init__(self):
        self.model = load_model("talos")
        q = find_standing_posture(self.model)
        self.kinematics = EffectorKinematics(self.model)
        self.kinematics.update(q)
        data = self.kinematics.data
        pin.computeAllTerms(self.model.pinocchio, data, q, np.zeros(self.model.nv))
        feet = [e for e, effector in enumerate(self.model.effectors) if effector.standing]
        self.stance = Stance(self.model, feet, inset=0.01)
        still = np.zeros((len(self.kinematics.poses), 6))
        self.contacts = ContactsAtRest(self.stance, self.kinematics, still, still, 20.0)
        self.equation = EquationOfMotion(self.contacts, data.M, data.nle, symmetric=True)

    def solve(self, tasks=(), limits=()):
        model, stance = self.model, self.stance
        names = tuple(effector.name for effector in model.effectors)
        posture = PostureAccelerationTask(model, 0.3, 1e-3, 60.0)
        posture.present = posture.desired = (model.q_nominal, np.zeros(model.nv))
        wrenches = WrenchTask(stance, model.nv, np.full(6, 1e-3), np.full(3, 1e-3))
        program = WholeBodyProgram(
            self.contacts,
            self.equation,
            Dependence(tolerance=1e-3, max_change=5.0),
            tasks=(posture, BaseDamping(1e-3), wrenches, *tasks),
            limits=(
                *limits,
                TorqueLimits(self.equation, model.motor_torques, model.joint_names),
                WrenchCone(stance, model.nv),
                NormalForceLimits(stance, model.nv, names, np.zeros(2), stance.max_normal),
            ),
        )
        program.fill()
        solution = DaqpSolver().solve(program.condense())
        assert solution.solved
        x = program.expand(solution.x)
        return x[: model.nv], FORCE_UNIT * x[model.nv :], program.name_active(solution.multipliers)


@pytest.fixture(scope="module")
def standing():
    return Standing()


@pytest.mark.parametrize("force", [-200.0, 0.0, 150.0])
def test_a_new_task_changes_the_solution_as_its_equation_says(standing, force):
    task = LoadDifference(standing.stance, standing.model.nv)
    task.force = force
    _, wrenches, _ = standing.solve(tasks=(task,))
    loads = standing.stance.normals @ wrenches
    assert loads[0] - loads[1] == pytest.approx(force, abs=0.1)
    assert loads.sum() == pytest.approx(standing.model.weight, rel=0.05)


def test_a_new_limit_holds_and_is_named_where_it_does(standing):
    base = standing.kinematics.data.oMi[1]
    free, _, names = standing.solve()
    assert base.rotation[2] @ free[:3] < 0.2
    assert "sinking" not in names
    held, _, names = standing.solve(limits=(SlowestFall(base.rotation),))
    assert base.rotation[2] @ held[:3] == pytest.approx(0.2, abs=1e-6)
    assert "sinking" in names


def test_a_task_that_asks_for_nothing_leaves_the_solution_as_it_is_wherever_it_is_laid(standing):
    class Idle(LoadDifference):
        active = False

    plain, _, _ = standing.solve(tasks=(LoadDifference(standing.stance, standing.model.nv),))
    for order in ((0, 1), (1, 0)):
        tasks = (Idle(standing.stance, standing.model.nv), LoadDifference(standing.stance, standing.model.nv))
        idle, _, _ = standing.solve(tasks=tuple(tasks[k] for k in order))
        assert idle == pytest.approx(plain, abs=1e-9)
