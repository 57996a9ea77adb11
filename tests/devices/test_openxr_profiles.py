"""The table of controllers: what every row needs, whatever the runtime."""

from __future__ import annotations

import pytest

from handhold.devices.control_names import HandsControlNames
from handhold.devices.openxr.actions import ACTION_TYPES
from handhold.devices.openxr.profiles import HANDS, PROFILES, Profile, name_controls

BY_PATH = [pytest.param(profile, id=profile.path) for profile in PROFILES]


def name_both(profile: Profile) -> HandsControlNames:
    return HandsControlNames(left=profile.name_controls("left"), right=profile.name_controls("right"))


@pytest.mark.parametrize("profile", BY_PATH)
@pytest.mark.parametrize("hand", HANDS)
def test_every_controller_has_a_pose_a_clutch_a_trigger_and_a_stop(profile: Profile, hand: str) -> None:
    has = profile.components(hand)
    assert {"grip", "aim", "squeeze", "trigger", "stick_click"} <= set(has) <= set(ACTION_TYPES)
    assert has["squeeze"] != has["stick_click"], "a clutch that is closed would stop the robot"
    assert all(component.startswith(("input/", "output/")) for component in has.values())


@pytest.mark.parametrize("profile", BY_PATH)
def test_every_controller_is_named_and_says_how_to_stop_and_to_open_the_wheel(profile: Profile) -> None:
    names = name_both(profile)
    for hand in HANDS:
        assert names.of(hand).device == profile.device
        assert names.of(hand).opens_wheel
        assert bool(names.of(hand).stick) == ("stick" in profile.components(hand))
    assert names.stop_with_both
    assert names.stop_held


def test_profiles_are_told_apart() -> None:
    assert len({profile.path for profile in PROFILES}) == len({profile.device for profile in PROFILES}) == len(PROFILES)


def test_only_what_cannot_be_done_by_accident_ends_a_stop() -> None:
    assert [profile.device for profile in PROFILES if not name_both(profile).may_resume] == ["tracked hand"]


def test_hands_that_hold_different_things_are_each_told_their_own_stop() -> None:
    touch, hand = "/interaction_profiles/oculus/touch_controller", "/interaction_profiles/ext/hand_interaction_ext"
    names = HandsControlNames(left=name_controls("left", touch), right=name_controls("right", hand))
    assert names.stop_with_both == "click the stick (left) and close the fist (right)"
    assert names.stop_held == "stick held down (left) or fist held closed (right)"
    assert names.squeezes == "squeeze and pinch"
    assert not names.may_resume
    assert names.resume_steps[1] == "choose Go on on the wheel"


def test_a_profile_that_nobody_knows_is_named_as_most_are() -> None:
    assert name_controls("right", "/interaction_profiles/somebody/else").primary == "A"
