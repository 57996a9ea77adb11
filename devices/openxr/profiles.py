"""The controllers that OpenXR knows by name: one row a profile, with the extension that brings it and its controls.

A runtime maps what it has to one of the profiles that are suggested to it. A new controller is a row in ``PROFILES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, ControlNames
from handhold.devices.openxr.runtime import HAND_INTERACTION

HANDS = ("left", "right")
_AS_USUAL = ControlNames()

Components = Mapping[str, str]
"""Component of a hand's path (``"input/trigger/value"``) by the action that it is suggested for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One interaction profile.

    Attributes:
        path: OpenXR's path of it, without ``/interaction_profiles/``.
        device: Its name for people.
        left: What the left hand has.
        right: What the right hand has.
        names: What its controls are called where they are called otherwise than on most controllers; A, B, X and Y are named
            by their components.
        extension: The extension that brings it; empty where every runtime knows it.
    """

    path: str
    device: str
    left: Components
    right: Components
    names: ControlNames = _AS_USUAL
    extension: str = ""

    @property
    def full_path(self) -> str:
        """OpenXR's path of the profile."""
        return f"/interaction_profiles/{self.path}"

    def components(self, hand: str) -> Components:
        """Return what a hand (``"left"`` or ``"right"``) has."""
        return self.left if hand == "left" else self.right

    def name_controls(self, hand: str) -> ControlNames:
        """Return what a hand's controls are called; empty where they are not there."""
        has = self.components(hand)
        names = self.names
        return replace(
            names,
            device=self.device,
            held="haptic" in has,
            trigger=names.trigger if "trigger" in has else "",
            stick=names.stick if "stick" in has else "",
            primary=_name_button(has.get("primary", "")),
            secondary=_name_button(has.get("secondary", "")),
            menu=names.menu or "menu" if "menu" in has else "",
        )


def _name_button(component: str) -> str:
    """Return what is written on a button: ``"A"`` of ``"input/a/click"``."""
    return component.split("/")[1].upper() if component else ""


_POSES = {"grip": "input/grip/pose", "aim": "input/aim/pose"}
_HELD = {**_POSES, "haptic": "output/haptic"}
_STICK = {"stick": "input/thumbstick", "stick_click": "input/thumbstick/click"}
_TOUCH = {**_HELD, **_STICK, "trigger": "input/trigger/value", "squeeze": "input/squeeze/value"}
_TOUCH_LEFT = {**_TOUCH, "primary": "input/x/click", "secondary": "input/y/click", "menu": "input/menu/click"}
# The right hand's menu button is the system's.
_TOUCH_RIGHT = {**_TOUCH, "primary": "input/a/click", "secondary": "input/b/click"}
_TWO_MENUS_RIGHT = {**_TOUCH_RIGHT, "menu": "input/menu/click"}
_INDEX = {
    **_TOUCH,
    "primary": "input/a/click",
    "secondary": "input/b/click",
    # The Index controller has no menu button, and its system button belongs to the runtime.
    "menu": "input/trackpad/force",
}
# A squeeze that is pressed or not, and no buttons of one's own: A and B are done without.
_WANDS = {**_HELD, "trigger": "input/trigger/value", "squeeze": "input/squeeze/click", "menu": "input/menu/click"}
_VIVE = {**_WANDS, "stick": "input/trackpad", "stick_click": "input/trackpad/click"}
_MOTION = {**_WANDS, **_STICK}
# Cosmos: as Touch, with a squeeze that is pressed or not.
_COSMOS_LEFT = {**_TOUCH_LEFT, "squeeze": "input/squeeze/click"}
_COSMOS_RIGHT = {**_TOUCH_RIGHT, "squeeze": "input/squeeze/click"}
# Two buttons must do for everything: the clutch, which nothing works without, and the menu.
# Its menu counts as the click of a stick as well, or nothing would stop the robot, and what closes the clutch as the trigger,
# or nothing could be chosen on the wheel.
_SIMPLE = {
    **_HELD,
    "squeeze": "input/select/click",
    "trigger": "input/select/click",
    "menu": "input/menu/click",
    "stick_click": "input/menu/click",
}
# A pinch is the clutch and, while the wheel is open, what chooses on it; a fist stands for the click of a stick.
_BARE_HAND = {
    **_POSES,
    "squeeze": "input/pinch_ext/value",
    "trigger": "input/pinch_ext/value",
    "stick_click": "input/grasp_ext/value",
}

_PAD = ControlNames(stick="pad", stop_with_both="press both pads", stop_with_one="press the pad", stop_held="pad held down")

_BARE_HANDS = Profile(
    path="ext/hand_interaction_ext",
    device="tracked hand",
    left=_BARE_HAND,
    right=_BARE_HAND,
    names=ControlNames(
        squeeze="pinch",
        trigger="pinch",
        stop_with_both="close both fists",
        stop_with_one="close the fist",
        stop_held="fist held closed",
        may_resume=False,
    ),
    extension=HAND_INTERACTION,
)

PROFILES = (
    Profile(path="valve/index_controller", device="Index", left=_INDEX, right=_INDEX, names=ControlNames(menu="trackpad")),
    Profile(path="oculus/touch_controller", device="Touch", left=_TOUCH_LEFT, right=_TOUCH_RIGHT),
    Profile(
        path="meta/touch_controller_plus",
        device="Touch Plus",
        left=_TOUCH_LEFT,
        right=_TOUCH_RIGHT,
        extension="XR_META_touch_controller_plus",
    ),
    Profile(
        path="facebook/touch_controller_pro",
        device="Touch Pro",
        left=_TOUCH_LEFT,
        right=_TOUCH_RIGHT,
        extension="XR_FB_touch_controller_pro",
    ),
    Profile(
        path="htc/vive_focus3_controller",
        device="Vive Focus 3",
        left=_TOUCH_LEFT,
        right=_TOUCH_RIGHT,
        extension="XR_HTC_vive_focus3_controller_interaction",
    ),
    Profile(
        path="htc/vive_cosmos_controller",
        device="Vive Cosmos",
        left=_COSMOS_LEFT,
        right=_COSMOS_RIGHT,
        extension="XR_HTC_vive_cosmos_controller_interaction",
    ),
    Profile(
        path="bytedance/pico_neo3_controller",
        device="Pico Neo 3",
        left=_TOUCH_LEFT,
        right=_TWO_MENUS_RIGHT,
        extension="XR_BD_controller_interaction",
    ),
    Profile(
        path="bytedance/pico4_controller",
        device="Pico 4",
        left=_TOUCH_LEFT,
        right=_TOUCH_RIGHT,
        extension="XR_BD_controller_interaction",
    ),
    Profile(
        path="hp/mixed_reality_controller",
        device="Reverb G2",
        left=_TOUCH_LEFT,
        right=_TWO_MENUS_RIGHT,
        extension="XR_EXT_hp_mixed_reality_controller",
    ),
    Profile(path="microsoft/motion_controller", device="Motion Controller", left=_MOTION, right=_MOTION),
    Profile(path="htc/vive_controller", device="Vive", left=_VIVE, right=_VIVE, names=_PAD),
    _BARE_HANDS,
    Profile(
        path="khr/simple_controller",
        device="simple controller",
        left=_SIMPLE,
        right=_SIMPLE,
        names=ControlNames(
            squeeze="select",
            trigger="select",
            stop_with_both="press both menu buttons",
            stop_with_one="press the menu button",
            stop_held="menu held down",
        ),
    ),
)
"""All profiles that controls are suggested for, where the runtime knows them."""

EXTENSIONS = frozenset(profile.extension for profile in PROFILES if profile.extension)
"""Extensions that bring profiles."""


BARE_HAND = _BARE_HANDS.name_controls("left")
"""What hands that hold nothing do, also where they are known by their joints alone."""


def name_controls(hand: str, path: str) -> ControlNames:
    """Return what a hand's controls are called, by the full path of the profile that the runtime tells.

    Args:
        hand: ``"left"`` or ``"right"``.
        path: The path; empty where nothing is bound. Then, and where nobody knows the profile, as most controllers have them.
    """
    known = next((profile for profile in PROFILES if profile.full_path == path), None)
    return DEFAULT_CONTROL_NAMES.of(hand) if known is None else known.name_controls(hand)
