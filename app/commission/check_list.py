"""The check list from power-on to the first step of a hand, in order: one item a line of the table."""

from __future__ import annotations

from collections.abc import Sequence

from handhold.app.commission import driving, hanging, listening, standing
from handhold.app.commission.item import Item
from handhold.robots.model import RobotModel

LABELLED = ("hip_roll", "ankle")
"""Words in the names of joints whose motors differ between revisions of a robot."""


def ask_emergency_stop(_model: RobotModel) -> str:
    """Return the question for who stops it."""
    return "Does a second person have the emergency stop in the hand, and nothing else to do?"


def ask_hoist(_model: RobotModel) -> str:
    """Return the question for the hoist."""
    return "Does the robot hang on its hoist, its soles off the ground and nothing within 0.3 m of its limbs?"


def ask_torque_limits(model: RobotModel) -> str:
    """Return the question for the motors of this revision."""
    limits = {}
    for name, torque in zip(model.joint_names, model.motor_torques, strict=True):
        word = name.removeprefix("left_").removeprefix("right_").removesuffix("_joint")
        if any(labelled in word for labelled in LABELLED):
            limits[word.replace("_", " ")] = torque
    words = ", ".join(f"{name} {torque:g} Nm" for name, torque in limits.items())
    return f"Do its label and its manual say what its description has ({words})?"


def ask_released(_model: RobotModel) -> str:
    """Return the question for the maker's controller; that it is not heard does not say that it will not come."""
    return "Is its maker's controller released (debug mode on the remote), so that its joints hang limp?"


def ask_hold(_model: RobotModel) -> str:
    """Return the question before anything is sent."""
    return "From now on its joints are commanded: they hold the robot as it is. Is everybody clear of it?"


def ask_joints(_model: RobotModel) -> str:
    """Return the question before single joints move."""
    return f"Each joint moves by {hanging.MOVED:g} rad and back, one after the other. May they?"


def ask_lower(_model: RobotModel) -> str:
    """Return the question before it stands."""
    return "Lower the robot until its soles bear it and the hoist is slack, but still attached: is it done?"


def ask_drive(_model: RobotModel) -> str:
    """Return the question before the control cycle moves it."""
    return "The whole-body controller takes it over, and it stands by itself. May it?"


def ask_hand(_model: RobotModel) -> str:
    """Return the question before a hand moves."""
    return f"Its right hand goes {100.0 * driving.REACH:g} cm ahead and back. May it?"


CHECK_LIST: Sequence[Item] = (
    Item(name="emergency-stop", title="Somebody can stop it", ask=ask_emergency_stop),
    Item(name="hoist", title="It hangs on its hoist", ask=ask_hoist),
    Item(name="torque-limits", title="Its motors are those of its description", ask=ask_torque_limits),
    Item(name="rivals", title="Nobody else commands it", ask=ask_released, measure=listening.measure_rivals),
    Item(name="arrival", title="Its states arrive", measure=listening.measure_arrival),
    Item(name="health", title="Its motors are cool and its battery is charged", measure=listening.measure_health),
    Item(name="range", title="Its joints are within their ranges", measure=listening.measure_range),
    Item(name="posture", title="It is near its posture", measure=listening.measure_posture, advisory=True),
    Item(name="gravity", title="Gravity is what and where it is to be", measure=listening.measure_gravity),
    Item(name="gyroscope", title="Its gyroscope rests", measure=listening.measure_gyroscope),
    Item(name="hold", title="It is held", ask=ask_hold, measure=hanging.measure_hold),
    Item(name="to-posture", title="It goes to its posture", measure=hanging.measure_posture),
    Item(name="joints", title="Each joint moves as it is told, and alone", ask=ask_joints, measure=hanging.measure_joints),
    Item(name="silence", title="Silence brakes it, and it is held again", measure=hanging.measure_silence),
    Item(name="weight", title="Its soles bear its weight", ask=ask_lower, measure=standing.measure_weight),
    Item(name="attitude", title="It stands upright", measure=standing.measure_attitude),
    Item(name="stance", title="It stands by itself", ask=ask_drive, measure=driving.measure_stance),
    Item(name="hand", title="A hand goes and comes back", ask=ask_hand, measure=driving.measure_hand),
    Item(name="return", title="It is handed back", measure=driving.measure_return),
)
"""All items."""
