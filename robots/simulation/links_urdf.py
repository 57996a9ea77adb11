"""Links written as a URDF, for the engines that read nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull

from handhold.robots.simulation.links import Link, Shape


def write_urdf(links: Sequence[Link], folder: Path) -> Path:
    """Write the links as ``robot.urdf``, and their hulls as OBJ files, into a folder; return the URDF's path.

    The inertial frames are the principal axes, so that no engine has to find them again. Joints have neither damping nor
    friction, as in Pinocchio's model. A URDF knows no rotors: their inertia about the joint's axis is the link's, which turns
    at the joint's rate, but also with all that carries it (a harder disturbance than a rotor behind a gear).
    """
    robot = Xml.Element("robot", name="robot")
    for index, link in enumerate(links):
        element = Xml.SubElement(robot, "link", name=_link_name(links, index))
        _write_inertial(element, link)
        for number, shape in enumerate(link.shapes):
            _write_shape(Xml.SubElement(element, "collision"), shape, folder / f"{index}_{number}.obj")
    for index, link in enumerate(links):
        if link.parent >= 0:
            _write_joint(robot, links, index)
    # Bullet reads pieces of 1024 characters and breaks words between them: keep the lines short.
    Xml.indent(robot)
    file = folder / "robot.urdf"
    Xml.ElementTree(robot).write(file)
    return file


def _link_name(links: Sequence[Link], index: int) -> str:
    return f"link of {links[index].name}"


def _write_inertial(element: Xml.Element, link: Link) -> None:
    inertial = Xml.SubElement(element, "inertial")
    moments, axes = _add_rotor(link)
    _write_origin(inertial, pin.SE3(axes, link.inertia.translation))
    Xml.SubElement(inertial, "mass", value=repr(link.mass))
    x, y, z = (repr(float(moment)) for moment in moments)
    Xml.SubElement(inertial, "inertia", ixx=x, iyy=y, izz=z, ixy="0", ixz="0", iyz="0")


def _add_rotor(link: Link) -> tuple[np.ndarray, np.ndarray]:
    """Return moments of inertia and principal axes, shape ``(3,)`` and ``(3, 3)``, of a link with its rotor.

    The rotor is a disk, half as inert about its diameters: Bullet ignores an inertia that no body can have.
    """
    axes = link.inertia.rotation
    if link.rotor_inertia == 0.0 or link.slides:
        return link.principal_inertia, axes
    rotor = 0.5 * link.rotor_inertia * (np.eye(3) + np.outer(link.axis, link.axis))
    moments, axes = np.linalg.eigh(axes @ np.diag(link.principal_inertia) @ axes.T + rotor)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    return moments, axes


def _write_joint(robot: Xml.Element, links: Sequence[Link], index: int) -> None:
    link = links[index]
    joint = Xml.SubElement(robot, "joint", name=link.name, type="prismatic" if link.slides else "revolute")
    _write_origin(joint, link.placement)
    Xml.SubElement(joint, "parent", link=_link_name(links, link.parent))
    Xml.SubElement(joint, "child", link=_link_name(links, index))
    Xml.SubElement(joint, "axis", xyz=_join(link.axis))
    # Effort and velocity must be there; the motors' limits are kept where the commands are.
    Xml.SubElement(joint, "limit", lower=repr(link.lower), upper=repr(link.upper), effort="1e6", velocity="1e3")
    Xml.SubElement(joint, "dynamics", damping="0", friction="0")


def _write_shape(collision: Xml.Element, shape: Shape, hull_file: Path) -> None:
    _write_origin(collision, shape.placement)
    geometry = Xml.SubElement(collision, "geometry")
    if shape.vertices is not None:
        hull_file.write_text(_write_hull(shape.vertices))
        Xml.SubElement(geometry, "mesh", filename=str(hull_file))
    elif shape.kind == "box":
        Xml.SubElement(geometry, "box", size=_join(2.0 * np.array(shape.size)))
    elif shape.kind == "sphere":
        Xml.SubElement(geometry, "sphere", radius=repr(shape.size[0]))
    else:
        Xml.SubElement(geometry, shape.kind, radius=repr(shape.size[0]), length=repr(2.0 * shape.size[1]))


def _write_hull(vertices: np.ndarray) -> str:
    lines = [f"v {_join(vertex)}" for vertex in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in ConvexHull(vertices).simplices]
    return "\n".join(lines) + "\n"


def _write_origin(element: Xml.Element, placement: pin.SE3) -> None:
    Xml.SubElement(element, "origin", xyz=_join(placement.translation), rpy=_join(pin.rpy.matrixToRpy(placement.rotation)))


def _join(numbers: np.ndarray) -> str:
    return " ".join(repr(float(number)) for number in numbers)
