"""Another robot or world, chosen on the page: the station says so to the supervisor by a pipe and an exit code."""

from __future__ import annotations

import os
from itertools import product

import msgspec

from handhold.app.session.config import SessionConfig, find_free_ports
from handhold.robots.description import installed_robots
from handhold.robots.worlds import known_worlds

CHOSEN = 10
"""Exit code of a station whose operator has chosen another session; nobody outside of the session sees it."""
_MAX_SIZE = 4096


class SessionChoice(msgspec.Struct, frozen=True):
    """What the operator has chosen.

    Attributes:
        robot: Name of a robot that Handhold ships.
        world: Name of a world that Handhold ships.
    """

    robot: str
    world: str

    @property
    def action(self) -> str:
        """What the page asks for it by."""
        return f"session:{self.robot}:{self.world}"

    def apply(self, config: SessionConfig) -> SessionConfig:
        """Return the session that follows one: at the same address of the page, whose cookie still holds."""
        link_port, view_port = find_free_ports(2)
        return msgspec.structs.replace(
            config, robot=self.robot, world=self.world, link_port=link_port, view_port=view_port if config.view_port else 0
        )


def list_choices() -> tuple[SessionChoice, ...]:
    """Return all that may be chosen: what is shipped and can be had here, never a file."""
    return tuple(SessionChoice(robot, world) for robot, world in product(installed_robots(), known_worlds()))


def send_choice(pipe: int, choice: SessionChoice) -> None:
    """Tell the supervisor."""
    os.write(pipe, msgspec.json.encode(choice))


def receive_choice(pipe: int) -> SessionChoice | None:
    """Return what a station that has ended has chosen, or None where it is nothing that may be chosen."""
    try:
        choice = msgspec.json.decode(os.read(pipe, _MAX_SIZE), type=SessionChoice)
    except (OSError, msgspec.MsgspecError):
        return None
    return choice if choice in list_choices() else None
