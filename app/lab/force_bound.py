r"""How hard one contact could push in the present posture: the force manipulability's extent along the contact's normal.

.. math::

    \max_\lambda \; n_k^T \lambda \quad \text{s.t. } \; & G_B - J_B^T \lambda = 0 \quad (15), \qquad
    |G_J - J_J^T \lambda| \leq \tau_{max} \quad (16), \\
    & U \lambda \leq 0, \qquad \lambda_{min} \leq N \lambda \leq \lambda_{max}

a linear program in the stacked contact wrenches :math:`\lambda` alone, because the configuration q is given ([Rouxel2022]_,
IV-C2 and supplement 3). What SEIKO pushes beyond it, it has gained by changing the posture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.optimize import linprog

from handhold.retarget.errors import RetargetError
from handhold.robots.contact import UNBOUNDED, Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import RobotModel
from handhold.robots.tasks.task import FORCE_UNIT

MIN_MULTIPLIER = 1e-7
"""Multiplier under which a constraint does not hold the force back [N/N, N/Nm]: the solver's own tolerance."""


class NoForceBound(RetargetError):
    """There is no largest force: the effector is not in contact, or nothing or anything is feasible."""

    def __init__(self, effector: str, why: str) -> None:
        self.effector = effector
        super().__init__(f"no largest force at {effector}: {why}")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ForceBound:
    """The largest normal force of one contact in one posture.

    Attributes:
        force: Largest normal force [N].
        wrenches: Wrenches of all contacts under which it is reached, stacked as the stance says, shape ``(l,)``.
        active: Names of the constraints that keep it from being larger.
    """

    force: float
    wrenches: np.ndarray
    active: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WrenchProgram:
    r"""What the contact wrenches must satisfy in one posture: :math:`E \lambda = e` and :math:`A \lambda \leq b`.

    Attributes:
        equalities: Matrix E: the base's equilibrium, shape ``(6, l)``.
        equality_sides: Vector e, shape ``(6,)`` [N, Nm].
        rows: Matrix A: joint torques from above and below, cones, normal forces from above and below, shape ``(m, l)``.
        sides: Vector b, shape ``(m,)`` [N, Nm]; ``UNBOUNDED`` for none.
        names: Name of every row of A.
    """

    equalities: np.ndarray
    equality_sides: np.ndarray
    rows: np.ndarray
    sides: np.ndarray
    names: tuple[str, ...]


def build_wrench_program(
    model: RobotModel,
    stance: Stance,
    q: np.ndarray,
    *,
    least_forces: np.ndarray | None = None,
    largest_forces: np.ndarray | None = None,
) -> WrenchProgram:
    """Build the constraints on the contact wrenches at a configuration.

    Args:
        model: Robot.
        stance: Contacts in force.
        q: Configuration, shape ``(nq,)``.
        least_forces: Minimum normal forces required now, shape ``(contacts,)`` [N]; None for the stance's own.
        largest_forces: Largest ones, likewise; ``UNBOUNDED`` for none.

    Returns:
        The constraints, in SI units.
    """
    kinematics = EffectorKinematics(model)
    kinematics.update(q)
    gravity = pin.computeGeneralizedGravity(model.pinocchio, kinematics.data, q).copy()
    jacobian = np.zeros((stance.size, model.nv))
    contacts = np.array(stance.effectors, dtype=np.int64)
    fill_contact_jacobian(kinematics.jacobians, kinematics.poses, contacts, stance.planes, stance.arms, jacobian)
    on_joints, limits = jacobian[:, 6:].T, model.torque_limits
    required_forces = stance.min_normal if least_forces is None else least_forces
    largest = stance.max_normal if largest_forces is None else largest_forces
    torques = tuple(f"{name} torque" for name in model.joint_names)
    normals = tuple(f"{model.effectors[e].name} normal force" for e in stance.effectors)
    return WrenchProgram(
        equalities=jacobian[:, :6].T.copy(),
        equality_sides=gravity[:6],
        rows=np.vstack([-on_joints, on_joints, stance.cone, stance.normals, -stance.normals]),
        sides=np.concatenate(
            [limits - gravity[6:], limits + gravity[6:], np.zeros(len(stance.cone)), largest, -required_forces]
        ),
        names=(*torques, *torques, *stance.cone_names, *normals, *normals),
    )


def compute_force_bound(
    model: RobotModel,
    stance: Stance,
    q: np.ndarray,
    effector: int,
    *,
    least_forces: np.ndarray | None = None,
    limit_own: bool = True,
) -> ForceBound:
    r"""Compute the largest normal force of one contact at a configuration (the equation is at the top of this file).

    Args:
        model: Robot.
        stance: Contacts in force, with the margins that the reference keeps.
        q: Configuration, shape ``(nq,)``.
        effector: Index of the effector that pushes.
        least_forces: Minimum normal forces required now, shape ``(contacts,)`` [N]; None for the stance's own.
        limit_own: Whether the pushing contact's own largest normal force counts too.

    Returns:
        The force, the wrenches that go with it, and what keeps it from being larger.

    Raises:
        NoForceBound: The effector is not in contact, the posture has no equilibrium, or nothing limits the force.
    """
    name = model.effectors[effector].name
    if effector not in stance.effectors:
        raise NoForceBound(name, "it is not in contact")
    contact = stance.effectors.index(effector)
    largest = stance.max_normal.copy()
    if not limit_own:
        largest[contact] = UNBOUNDED
    program = build_wrench_program(model, stance, q, least_forces=least_forces, largest_forces=largest)
    return maximise_force(program, stance.normals[contact], name)


def maximise_force(program: WrenchProgram, normal: np.ndarray, name: str) -> ForceBound:
    r"""Maximise :math:`n^T \lambda` over the wrenches that satisfy a program.

    Args:
        program: What the wrenches must satisfy.
        normal: Direction n that picks the force, shape ``(l,)``.
        name: Effector, for the message of an error.

    Raises:
        NoForceBound: No wrenches satisfy the program, or the force has no limit.
    """
    limited = program.sides < UNBOUNDED
    result = linprog(
        -normal,
        A_ub=program.rows[limited],
        b_ub=program.sides[limited] / FORCE_UNIT,  # numbers near 1, as the solver's tolerances expect
        A_eq=program.equalities,
        b_eq=program.equality_sides / FORCE_UNIT,
        bounds=(None, None),
        method="highs",
    )
    if result.x is None:
        unlimited = result.status == 3  # SciPy's code for an unbounded program
        raise NoForceBound(name, "nothing limits it" if unlimited else "the posture has no equilibrium on these contacts")
    names = [program.names[i] for i in np.flatnonzero(limited)]
    held = np.flatnonzero(np.abs(result.ineqlin.marginals) > MIN_MULTIPLIER)
    wrenches = FORCE_UNIT * result.x
    return ForceBound(force=float(normal @ wrenches), wrenches=wrenches, active=tuple(dict.fromkeys(names[i] for i in held)))
