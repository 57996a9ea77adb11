"""The MJCF of a biped without a waist, of boxes."""

from itertools import pairwise

LEG = (("yaw", "0 0 1", "-1 1"), ("roll", "1 0 0", "-0.5 0.5"), ("hip", "0 1 0", "-2 1"), ("knee", "0 1 0", "0 2.3"),
       ("ankle", "0 1 0", "-1 1"), ("foot", "1 0 0", "-0.5 0.5"))  # fmt: skip
ARM = (("shoulder", "0 1 0", "-2 2"), ("abduct", "1 0 0", "-2 2"), ("elbow", "0 1 0", "-2.3 0"), ("wrist", "0 0 1", "-1 1"))
DOWN = {"knee": 0.35, "ankle": 0.35, "elbow": 0.25, "wrist": 0.2}  # [m] from the joint before


def write_limb(side: str, joints: tuple, mass: float, geom: str) -> str:
    """Write a chain of bodies of equal mass [kg] with a box at its end."""
    text = ""
    for (name, axis, ends), following in pairwise((*joints, None)):
        inertia = mass / len(joints) * 0.01
        text += (
            f'<body name="{side}_{name}_link" pos="0 0 {-DOWN.get(name, 0.0)}">'
            f'<inertial mass="{mass / len(joints)}" pos="0 0 -0.05" diaginertia="{inertia} {inertia} {inertia}"/>'
            f'<joint name="{side}_{name}" axis="{axis}" range="{ends}" actuatorfrcrange="-150 150"/>'
        )
        text += geom if following is None else ""
    return text + len(joints) * "</body>"


def write_biped(leg: float = 6.0, arm: float = 2.0) -> str:
    """Write it with legs and arms of a mass [kg] each; its root joint has no name."""
    limbs = ""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        foot = '<geom type="box" size="0.1 0.05 0.02" pos="0.03 0 -0.05"/>'
        hand = '<geom type="box" size="0.02 0.02 0.05" pos="0 0 -0.05"/>'
        limbs += f'<body name="{side}_hip_base" pos="0 {0.1 * sign} -0.1">{write_limb(side, LEG, leg, foot)}</body>'
        limbs += f'<body name="{side}_arm_base" pos="0 {0.2 * sign} 0.4">{write_limb(side, ARM, arm, hand)}</body>'
    base = '<inertial mass="10" pos="0 0 0.2" diaginertia="0.1 0.1 0.1"/>'
    return (
        '<mujoco model="biped"><worldbody><geom type="plane" size="5 5 1"/>'
        f'<body name="base" pos="0 0 1"><freejoint/>{base}{limbs}</body></worldbody></mujoco>'
    )
