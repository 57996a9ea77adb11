"""Goes through the check list: asks, measures, judges, and stops at the first item that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from handhold.app.commission.answers import Operator
from handhold.app.commission.item import Item, Result, Verdict, judge
from handhold.app.commission.rig import Rig
from handhold.app.errors import AppError, to_line
from handhold.retarget.errors import RetargetError
from handhold.robots.errors import RobotError

FAMILIES = (RobotError, RetargetError, AppError)
"""What a measurement may end in: its words are why the item fails."""


def run_check_list(
    items: Sequence[Item], rig: Rig, operator: Operator, say: Callable[[str], None], note: Callable[[Result], None]
) -> None:
    """Go through a list until an item fails that is not only advisory.

    Args:
        items: The list.
        rig: The robot.
        operator: Answers what is asked.
        say: Tells people how far things are.
        note: Takes each result as it comes, so that what was found is kept whatever happens next.
    """
    for number, item in enumerate(items, 1):
        result = run_item(item, rig, operator)
        note(result)
        say(f"{number} of {len(items)}: {describe(result)}")
        if result.verdict is Verdict.FAILED:
            return


def run_item(item: Item, rig: Rig, operator: Operator) -> Result:
    """Ask and measure one item."""
    try:
        if item.ask is not None and not rig.ask(operator, item.ask(rig.model)):
            return Result(item=item, verdict=Verdict.FAILED, problem="the answer was no")
        return judge(item, () if item.measure is None else item.measure(rig))
    except FAMILIES as error:
        return Result(item=item, verdict=Verdict.FAILED, problem=to_line(error))


def describe(result: Result) -> str:
    """Return a result in one line."""
    found = result.problem or ", ".join(finding.words for finding in result.findings)
    return f"{result.item.title}: {result.verdict}{f' ({found})' if found else ''}"
