"""What an operator does about the lease, offered where switches are: on the wheel and on the page."""

from __future__ import annotations

from handhold.app.link.authority import LeaseAct, LinkStatus
from handhold.retarget.mode_report import Toggle

_REQUEST = "switch:lease "


class LeaseSwitches:
    """Offers what can be done about the lease, and reads what an operator does."""

    def __init__(self, run: int) -> None:
        """Take the number of the station's run."""
        self._run = run
        self._request = ""

    def offer(self, status: LinkStatus | None) -> tuple[Toggle, ...]:
        """Return what can be done: drive where nobody does, hand over to who asks, ask or take over from who drives."""
        if status is None:
            return ()
        if status.driver is None:
            return (_offer(LeaseAct.ASK, "Drive the robot"),)
        if status.driver.run != self._run:
            return (
                _offer(LeaseAct.ASK, f"Ask {status.driver.name} for the robot"),
                _offer(LeaseAct.TAKE_OVER, "Take the robot over (stops it)"),
            )
        if status.applicant is None:
            return ()
        return (_offer(LeaseAct.HAND_OVER, f"Hand over to {status.applicant.name} (stops it)"),)

    def read(self, request: str) -> tuple[LeaseAct | None, str]:
        """Read ``OperatorInput.request``; returns what is done about the lease, and what is left for the host to read."""
        begins, self._request = request != self._request, request
        if not request.startswith(_REQUEST):
            return None, request
        word = request.removeprefix(_REQUEST)
        return (LeaseAct(word) if begins and word in _ACTS else None), ""


_ACTS = frozenset(act.value for act in LeaseAct)


def _offer(act: LeaseAct, title: str) -> Toggle:
    return Toggle(name=f"lease {act}", title=title, on=False)
