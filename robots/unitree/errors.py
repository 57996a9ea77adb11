"""Errors of robots that speak Unitree's protocol."""

from __future__ import annotations

from collections.abc import Sequence

from handhold.robots.errors import RobotError


class RobotSilent(RobotError):
    """No state of the robot arrives.

    Attributes:
        interface: Network interface that was listened on.
        waited: For how long [s].
    """

    def __init__(self, interface: str, waited: float) -> None:
        self.interface, self.waited = interface, waited
        super().__init__(
            f"no state of a robot has arrived on the network interface '{interface}' within {waited:g} s; "
            "power the robot on, and name the interface that leads to it"
        )


class ForeignDds(RobotError):
    """A program on the robot's network speaks DDS by another major line of CycloneDDS than its own, which has crashed it.

    Attributes:
        interface: Network interface on which it answers.
        host: Name of its host.
        version: Version of its CycloneDDS.
        process: Name and number of its process; empty where it does not tell.
    """

    def __init__(self, interface: str, host: str, version: str, process: str = "") -> None:
        self.interface, self.host, self.version, self.process = interface, host, version, process
        who = f"{process} on {host}" if process else f"a program on {host}"
        super().__init__(
            f"{who} speaks DDS by CycloneDDS {version} on '{interface}', which can crash those of 0.10, the robot's own too: "
            "end it, or give it another domain than 0, and see that the robot's own still run"
        )


class AlreadyCommanded(RobotError):
    """Another program commands the robot, or its maker's controller does.

    Attributes:
        interface: Network interface on which its commands are heard.
    """

    def __init__(self, interface: str) -> None:
        self.interface = interface
        super().__init__(
            f"something else commands the robot on '{interface}': release its maker's controller (debug mode on the remote), "
            "or end the other program"
        )


class NotThere(RobotError):
    """The robot is not in the posture in which it is to be taken over.

    Attributes:
        joint: Joint that is farthest off.
        angle: By how much [rad].
    """

    def __init__(self, joint: str, angle: float) -> None:
        self.joint, self.angle = joint, angle
        super().__init__(f"{joint} is {angle:.2f} rad from where the robot is to stand; move the robot there first")


class NotStanding(RobotError):
    """The robot stands on no foot, so that nothing tells where its base is.

    It hangs on its hoist, or its soles bear too little.
    """

    def __init__(self) -> None:
        super().__init__("the robot stands on no foot: lower it until its soles bear its weight")


class WrongMotors(RobotError):
    """What leads to a robot has another number of motors than the robot's description.

    Attributes:
        expected: Joints of the description.
        found: Motors of the link.
    """

    def __init__(self, expected: int, found: int) -> None:
        self.expected, self.found = expected, found
        super().__init__(f"the link has {found} motors and the description {expected} joints; take the right description")


class GuardSilent(RobotError):
    """The process that guards the robot does not answer.

    Attributes:
        waited: For how long [s].
    """

    def __init__(self, waited: float) -> None:
        self.waited = waited
        super().__init__(f"the robot's guard has said nothing for {waited:.1f} s: see above why, and let the robot down")


class UnknownMotors(RobotError):
    """The joints of a robot are not the motors of any that can be driven by this protocol.

    Attributes:
        source: File of its description.
        known: Robots that can.
    """

    def __init__(self, source: str, known: tuple[str, ...]) -> None:
        self.source, self.known = source, known
        super().__init__(
            f"{source}: its joints are not the motors of a robot that this maker's protocol drives; take {', '.join(known)}, "
            "or a description with joints of their names"
        )


class UnwiredJoints(RobotError):
    """A model has other joints than those that the motors of a robot move.

    Attributes:
        joints: Those of the model.
        motors: Those that the motors move.
    """

    def __init__(self, joints: Sequence[str], motors: Sequence[str]) -> None:
        self.joints, self.motors = tuple(joints), tuple(motors)
        limp = sorted(set(joints) - set(motors))
        lacking = sorted(set(motors) - set(joints))
        what = f"no motor moves {limp[0]}" if limp else f"there is no {lacking[0]}, which a motor moves"
        super().__init__(f"{len(joints)} joints, where the robot has {len(motors)} motors: {what}; take a model of that robot")


class UnevenGround(RobotError):
    """What stands in can be put on even ground only.

    Attributes:
        step: Difference of the heights of its soles [m].
    """

    def __init__(self, step: float) -> None:
        self.step = step
        super().__init__(f"what stands in begins on even ground, not with a step of {step:.2f} m; take another world")


class HoldBroken(RobotError):
    """A robot that was held has been damped: something of a joint went past its bound.

    Attributes:
        joint: The joint.
        quantity: What went past it.
        value: How far, in ``unit``.
        bound: What is allowed, likewise.
        unit: Its unit.
    """

    def __init__(self, joint: str, quantity: str, value: float, bound: float, unit: str) -> None:
        self.joint, self.quantity, self.value, self.bound, self.unit = joint, quantity, value, bound, unit
        super().__init__(
            f"{joint}: {quantity} of {value:.3g} {unit}, where {bound:.3g} are allowed: the robot is damped; "
            "see what is in its way, and begin again"
        )


class DampedMeanwhile(RobotError):
    """A robot that was held has been damped by its guard: commands did not come in time."""

    def __init__(self) -> None:
        super().__init__(
            "the robot was damped, because its commands did not come in time: end what else this machine runs, and begin again"
        )
