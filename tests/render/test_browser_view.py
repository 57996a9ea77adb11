"""The page as a real browser draws it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

import numpy as np
import pinocchio as pin
import pytest
import viser
from browser import (
    open_chromium,
    open_details,
    open_page,
    project,
    read_in_details,
    take_stable_picture,
    wait_for_picture,
    wait_until,
)
from playwright.sync_api import Browser, Page
from snapshots import make_snapshot, move_joints, with_report

from handhold.app.lab.gallery.parts import make_person
from handhold.app.page.guard import GuardedServer
from handhold.app.page.server import make_server, stop_server
from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.browser.camera import choose_views
from handhold.render.browser.labels import MIN_CHANGE
from handhold.render.browser.panel import COUNTER_WORDS, describe_details
from handhold.render.browser.view import WATCHING, BrowserView
from handhold.render.composition.compose import compose
from handhold.render.elements.stage import Stage
from handhold.render.meshes import PAGE_TOLERANCE, LinkMesh, load_link_meshes
from handhold.render.snapshot import Counters, Snapshot
from handhold.render.streams import PictureFrame, Streams
from handhold.retarget.mode_report import Preview, StabilityRegion, Toggle
from handhold.robots.health import RobotHealth
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import Solid, World

RAISED_ARM = {"arm_left_1_joint": -0.2, "arm_left_2_joint": 0.9, "arm_left_4_joint": 0.6}
FAR_AWAY = np.array([0.0, 60.0, 0.0])
CHANGE = 12
"""A pixel whose channel differs by more has changed (0 to 255): the picture is not compressed, only shading may waver."""
MOST = 0.95
"""Share of the robot's points where the picture must change: a white link before a white sky hardly does."""
SEEN = 0.7
"""Share of a link's points that are not behind another link."""
PAINT = 40
"""A picture is sent compressed (0 to 255)."""
PIXELS = 6.0
"""The page is drawn at half its resolution and without smoothing: three of its pixels [CSS pixels]."""


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def meshes(model: RobotModel) -> tuple[LinkMesh, ...]:
    return load_link_meshes(model, tolerance=PAGE_TOLERANCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as chromium:
        yield chromium


@pytest.fixture
def server() -> Iterator[GuardedServer]:
    server = make_server(port=0)
    yield server
    stop_server(server)


@pytest.fixture
def view(server: GuardedServer, model: RobotModel, meshes: tuple[LinkMesh, ...]) -> BrowserView:
    view = BrowserView(server, model, meshes=meshes)
    view.show(standing_aside(model))
    return view


@pytest.fixture
def tab(view: BrowserView, server: GuardedServer, browser: Browser) -> Iterator[tuple[Page, viser.ClientHandle]]:
    page, client = open_page(browser, server)
    yield page, client
    page.close()


def find_changes(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return (np.abs(before.astype(int) - after.astype(int)) > CHANGE).any(axis=2)


def shift(q: np.ndarray, offset: np.ndarray) -> np.ndarray:
    moved = q.copy()
    moved[:3] += offset
    return moved


def standing_aside(model: RobotModel) -> Snapshot:
    return make_snapshot(model, q=shift(model.q_nominal, FAR_AWAY))


def project_robot(model: RobotModel, meshes: tuple[LinkMesh, ...], q: np.ndarray, client: viser.ClientHandle) -> np.ndarray:
    joints = Stage(model).compute_joints(q).astype(float)
    points = [
        project(client, joints[mesh.joint, :3, :3] @ vertex.astype(float) + joints[mesh.joint, :3, 3])
        for mesh in meshes
        for vertex in mesh.vertices[::25]
    ]
    return np.array(points)


def look_up(picture: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    columns, rows = np.round(np.atleast_2d(pixels)).astype(int).T
    return picture[rows, columns]


def test_the_robot_is_where_its_kinematics_put_it(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel, meshes: tuple[LinkMesh, ...]
) -> None:
    page, client = tab
    empty = take_stable_picture(page)
    view.show(make_snapshot(model))
    pixels = project_robot(model, meshes, model.q_nominal, client)
    shown = wait_for_picture(page, lambda p: look_up(find_changes(empty, p), pixels).mean() > MOST, "the robot where it is")
    columns = slice(int(pixels[:, 0].min()), int(pixels[:, 0].max()))
    rows = np.flatnonzero(find_changes(empty, shown)[:, columns].any(axis=1))
    assert abs(rows.min() - pixels[:, 1].min()) < PIXELS


def test_the_ghost_shows_where_the_reference_differs_and_only_there(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, client = tab
    view.show(make_snapshot(model))
    alone = take_stable_picture(page)
    raised = move_joints(model, model.q_nominal, RAISED_ARM)
    snapshot = make_snapshot(model, reference_q=raised)
    view.show(replace(snapshot, left=make_snapshot(model).left))
    data = model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, raised)
    elbow = project(client, data.oMi[model.pinocchio.getJointId("arm_left_5_joint")].translation)
    shown = wait_for_picture(page, lambda p: look_up(find_changes(alone, p), elbow).all(), "the ghost's arm")
    red, _, blue = (int(channel) for channel in look_up(shown, elbow)[0])
    assert blue > red + 20  # sky blue before a grey sky
    right_of_the_robot = int(project(client, np.array([0.0, -0.6, 1.0]))[0])
    assert not find_changes(alone, shown)[:, right_of_the_robot:].any()


def test_a_reference_that_agrees_has_no_ghost(view: BrowserView, model: RobotModel, server: GuardedServer) -> None:
    view.show(make_snapshot(model))
    assert not [name for name in find_ghost_links(server) if server.scene.get_handle_by_name(name).visible]
    view.show(make_snapshot(model, reference_q=move_joints(model, model.q_nominal, {"arm_left_7_joint": 0.5})))
    assert len([name for name in find_ghost_links(server) if server.scene.get_handle_by_name(name).visible]) == 3, (
        "the hand and the two fingers of its gripper"
    )


def test_warnings_and_hands_are_told_in_words(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, _ = tab
    view.show(
        make_snapshot(
            model,
            messages=("the left hand is out of reach", "<b>7 < 8</b>"),
            counters=Counters(refused_samples=3),
            active_constraints=("left_foot CoP",),
            toggles=(Toggle(name="posture", title="Move my posture", on=True),),
            input_age=0.27,
        )
    )
    page.get_by_text("the left hand is out of reach").first.wait_for()
    open_details(page)
    page.get_by_text("Figures").click()
    page.get_by_text("left foot at its CoP limit").wait_for()
    words = page.inner_text("body")
    for expected in (
        "bracing",
        "Move my posture: on",
        "moving the robot",
        "squeeze to move",
        "<b>7 < 8</b>",
        "your input OLD: 200 ms",
        "samples refused",
    ):
        assert expected in words


def test_a_latched_stop_cannot_be_overlooked(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, _ = tab
    view.show(make_snapshot(model, stop=Stop.HOLD))
    open_details(page)
    page.get_by_text("STOPPED: holding").wait_for()
    wait_for_picture(page, lambda p: is_alarm(p[8, 300]) and is_alarm(p[700, 4]), "the frame of a stop, over the bar")
    view.show(make_snapshot(model, stop=Stop.DAMP))
    page.get_by_text("STOPPED: joints damped", exact=True).wait_for()
    view.show(make_snapshot(model))
    wait_for_picture(page, lambda p: not is_alarm(p[8, 300]), "no frame")
    assert page.get_by_text("STOPPED").count() == 0


def test_the_world_is_shown(server: GuardedServer, browser: Browser, model: RobotModel, meshes: tuple[LinkMesh, ...]) -> None:
    red = (0.8, 0.1, 0.1)
    solids = (
        Solid(name="table", size=(0.4, 0.4, 0.4), position=(0.0, -1.0, 0.4), colour=red),
        Solid(name="ball", shape="sphere", size=(0.15,), position=(0.6, 0.7, 0.3), colour=red),
        Solid(name="post", shape="cylinder", size=(0.1, 1.0), position=(-0.6, -0.6, 0.5), colour=red),
    )
    world = World(title="red things", source="test", solids=solids)
    BrowserView(server, model, world=world, meshes=meshes).show(standing_aside(model))
    page, client = open_page(browser, server)
    pixels = np.array([project(client, np.array(solid.position)) for solid in solids])
    wait_for_picture(page, lambda p: (np.diff(look_up(p, pixels)[:, :2].astype(int)) < -60).all(), "red things")
    page.close()


def test_the_view_can_be_reset(view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel) -> None:
    page, client = tab
    view.show(make_snapshot(model))  # views go with the robot
    page.get_by_role("button", name="Front").click()
    wait_until(page, lambda: client.camera.position[0] > 1.0, "the view from the front")
    page.get_by_role("button", name="Behind").click()
    wait_until(page, lambda: client.camera.position[0] < -1.0, "the view from behind")
    start = client.camera.position.copy()
    page.mouse.move(400.0, 500.0)
    page.mouse.down()
    page.mouse.move(500.0, 450.0, steps=5)
    page.mouse.up()
    wait_until(page, lambda: np.linalg.norm(client.camera.position - start) > 0.1, "the view to turn")
    page.get_by_role("button", name="Front").click()
    wait_until(page, lambda: client.camera.position[0] > 1.0, "the view from the front")
    page.get_by_role("button", name="Behind").click()
    wait_until(page, lambda: np.allclose(client.camera.position, start, atol=1e-3), "the first view")


def test_regions_surfaces_and_coming_poses_are_on_the_page_too(
    view: BrowserView, server: GuardedServer, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, client = tab
    square = np.array([[0.6, -0.2], [0.6, 0.2], [-0.3, 0.2], [-0.3, -0.2]])
    region = StabilityRegion(vertices=square, height=0.0, margin=0.01, edge=0, limit="friction of the left hand")
    before = take_stable_picture(page)
    away = shift(model.q_nominal, np.array([0.0, -1.2, 0.0]))
    preview = Preview(title="Walking", q=away, feasible=False, reason="a hand is loaded")
    view.show(with_report(standing_aside(model), region=region, preview=preview))
    told = find_texts(view)
    assert "friction of the left hand" in told
    assert "a hand is loaded" in told
    pixels = np.array([project(client, np.array([x, -0.12, 0.0])) for x in (-0.1, 0.2)])
    pelvis = project(client, away[:3])
    shown = wait_for_picture(page, lambda p: look_up(find_changes(before, p), np.vstack([pixels, pelvis])).all(), "all of it")
    for red, _, blue in look_up(shown, np.vstack([pixels, pelvis])).astype(int):
        assert red > blue + 20  # red-orange: the margin is small, and the pose cannot be
    view.show(standing_aside(model))
    wait_for_picture(page, lambda p: not look_up(find_changes(before, p), np.vstack([pixels, pelvis])).any(), "none of them")
    assert find_texts(view) == ""


def test_the_person_is_seen_before_the_robot_from_wherever_the_page_looks(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, client = tab
    person = make_person(model, model.q_nominal, (0.1, 0.02, 0.06))
    # in the trunk: the middle of the spine, and the pelvis
    inside = np.array([0.5 * (person.points[1] + person.points[2]), person.points[0]])
    snapshot = make_snapshot(model, person=person)

    def shows_green(picture: np.ndarray) -> bool:
        pixels = look_up(picture, np.array([project(client, point) for point in inside])).astype(int)
        return all(green > red + PAINT for red, green, _ in pixels)

    view.show(make_snapshot(model))
    assert not shows_green(take_stable_picture(page))
    view.show(snapshot)
    wait_for_picture(page, shows_green, "the skeleton from behind")
    page.get_by_text("left hand stays 10 cm behind yours (left elbow torque)").first.wait_for()
    assert "left elbow torque" in find_texts(view)
    page.get_by_role("button", name="Front").click()
    wait_until(page, lambda: client.camera.position[0] > 1.0, "the view from the front")
    take_stable_picture(page)
    view.show(snapshot)
    wait_for_picture(page, shows_green, "the skeleton from the front")
    view.show(make_snapshot(model))
    wait_for_picture(page, lambda p: not shows_green(p), "no skeleton")


def test_loads_of_joints_near_their_limits_are_on_the_page_too(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel, meshes: tuple[LinkMesh, ...]
) -> None:
    page, client = tab
    view.show(make_snapshot(model))
    before = take_stable_picture(page)
    head = find_link_pixels(model, meshes, "head_2_joint", client)
    view.show(make_snapshot(model, joint_torques=load_joint(model, "head_2_joint", 1.0)))

    def is_red_orange(picture: np.ndarray) -> bool:
        red, green, blue = look_up(picture, head).astype(int).T
        return bool(((red > green + 60) & (green > blue)).mean() > SEEN)

    assert not is_red_orange(before)
    shown = wait_for_picture(page, is_red_orange, "the loaded head")
    elbow = find_link_pixels(model, meshes, "arm_left_4_joint", client)
    assert not look_up(find_changes(before, shown), elbow).any()
    view.show(make_snapshot(model))
    wait_for_picture(page, lambda p: not look_up(find_changes(before, p), head).any(), "its own colours")


def test_a_load_that_grows_is_sent_in_few_steps_and_only_once(
    view: BrowserView, model: RobotModel, server: GuardedServer
) -> None:
    def rise_and_fall() -> int:
        before = count_messages(server)
        for share in (*np.linspace(0.75, 1.0, 40), *np.linspace(1.0, 0.75, 40)):
            view.show(make_snapshot(model, joint_torques=load_joint(model, "leg_right_4_joint", share)))
        return count_messages(server) - before

    view.show(make_snapshot(model))
    rise_and_fall()
    names = [name for name in server.scene._handle_from_node_name if name.startswith("/robot") and "/mesh-" in name]
    assert 2 <= len(names) <= 5
    assert rise_and_fall() <= 4 * len(names)  # one appears and one disappears with every step


def test_an_old_robot_is_grey_on_the_page_and_says_how_old_it_is(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel, meshes: tuple[LinkMesh, ...]
) -> None:
    page, client = tab
    empty = take_stable_picture(page)
    raised = make_snapshot(model, reference_q=move_joints(model, model.q_nominal, RAISED_ARM))
    view.show(raised)
    read_in_details(page, "robot under 100 ms")
    fresh = take_stable_picture(page)
    view.show(raised, Streams(snapshot_age=5.2))
    read_in_details(page, "robot OLD: 5.2 s", "your input OLD: 5.2 s")
    assert "as it was 5.2 s ago" in find_texts(view)
    pixels = find_link_pixels(model, meshes, "head_2_joint", client)

    def is_grey(picture: np.ndarray) -> bool:
        # neither the robot's own black nor what is behind it, which is grey as well
        other = find_changes(fresh, picture) & find_changes(empty, picture)
        grey = np.ptp(look_up(picture, pixels).astype(int), axis=1) < CHANGE
        return bool((look_up(other, pixels) & grey).mean() > SEEN)

    wait_for_picture(page, is_grey, "a grey robot")
    view.show(raised, Streams(snapshot_age=61.0))
    read_in_details(page, "robot OLD: 61 s")
    view.show(raised)
    wait_for_picture(page, lambda p: not look_up(find_changes(fresh, p), pixels).any(), "the robot as it is")


def test_the_cameras_picture_is_on_a_screen_the_right_way_round(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, client = tab
    image = np.zeros((60, 80, 3), dtype=np.uint8)
    image[:30, :40], image[:30, 40:], image[30:, :40] = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    view.show(standing_aside(model), Streams(picture=PictureFrame(image=image, version=1)))
    (screen,) = compose(None, WATCHING, Streams(picture=PictureFrame(image=image, version=1)), Stage(model)).pictures
    corners = ((-0.25, 0.25), (0.25, 0.25), (-0.25, -0.25), (0.25, -0.25))
    pixels = np.array([project(client, (screen.transform @ (x, y, 0.0, 1.0))[:3]) for x, y in corners])

    def is_shown(picture: np.ndarray, expected: np.ndarray) -> bool:
        return bool((np.abs(look_up(picture, pixels).astype(int) - expected) < PAINT).all())

    quarters = np.array([(255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)])
    wait_for_picture(page, lambda p: is_shown(p, quarters), "the picture")
    read_in_details(page, "picture under 100 ms")
    newer = PictureFrame(image=255 - image, version=2)
    view.show(standing_aside(model), Streams(picture=newer, picture_age=0.75))
    wait_for_picture(page, lambda p: is_shown(p, 255 - quarters), "the newer picture")
    read_in_details(page, "picture OLD: 700 ms")
    assert "OLD picture" in find_texts(view)


def test_texts_stand_on_plates_of_their_colours_and_face_who_looks(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel
) -> None:
    page, client = tab
    old = make_snapshot(model)
    view.show(old, Streams(snapshot_age=5.0))
    (text,) = view._nodes._labels._shown
    middle = project(client, text.label.position)
    # Orange beside the words, as wide as the plate is from in front.
    plate = wait_for_picture(page, lambda p: find_plate(p, middle).sum() > 4000, "the plate")
    rows, columns = np.nonzero(find_plate(plate, middle))
    assert np.ptp(columns) > 4 * np.ptp(rows)
    first = client.camera.wxyz.copy()
    page.mouse.move(400.0, 500.0)
    page.mouse.down()
    page.mouse.move(700.0, 450.0, steps=5)
    page.mouse.up()

    def faces_who_looks() -> bool:
        view.show(old, Streams(snapshot_age=5.0))
        turned = view._nodes._labels._shown[0].handle.wxyz
        seen = client.camera.wxyz
        return bool(np.abs(seen - first).max() > MIN_CHANGE) and turned == pytest.approx(seen, abs=MIN_CHANGE)

    wait_until(page, faces_who_looks, "the text to turn")


def test_views_go_and_turn_with_the_robot(
    view: BrowserView, tab: tuple[Page, viser.ClientHandle], model: RobotModel, server: GuardedServer
) -> None:
    page, client = tab
    behind, base = choose_views(Stage(model))["behind"], np.array([1.0, 2.0, 0.0])

    def turn(heading: float) -> tuple[Snapshot, np.ndarray]:
        q = shift(model.q_nominal, base - (*model.q_nominal[:2], 0.0))
        rotation = pin.utils.rotate("z", heading)
        q[3:7] = pin.Quaternion(rotation).coeffs()
        return make_snapshot(model, q=q), base + rotation @ behind.position

    def stands_at(position: np.ndarray) -> bool:
        return bool(np.abs(client.camera.position - position).max() < MIN_CHANGE)

    snapshot, expected = turn(np.pi)
    view.show(snapshot)
    page.get_by_role("button", name="Behind").click()
    wait_until(page, lambda: stands_at(expected), "the view behind a robot that has turned round")
    page.get_by_role("button", name="Follow").click()
    wait_until(page, lambda: view._cameras.following, "the camera to follow")
    snapshot, expected = turn(0.5 * np.pi)
    view.show(snapshot)
    wait_until(page, lambda: stands_at(expected), "the camera to turn with the robot")


def test_nothing_to_show_is_shown_without_a_fault(view: BrowserView, model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    bare = replace(
        snapshot,
        contact_wrenches=np.zeros((len(model.effectors), 6)),
        reference=replace(snapshot.reference, support_polygon=np.zeros((0, 2))),
    )
    view.show(bare)
    view.show(snapshot)
    view.show(replace(snapshot, q=np.full(model.nq, np.nan)))
    view.show(bare)


def test_what_has_not_changed_is_not_sent(view: BrowserView, model: RobotModel, server: GuardedServer) -> None:
    snapshot = make_snapshot(model)
    view.show(snapshot)
    sent = count_messages(server)
    view.show(replace(snapshot, time=2.0, cycle=101))
    assert count_messages(server) == sent
    moved = move_joints(model, model.q_nominal, {"head_1_joint": 0.2})
    # the reference moves as well: a ghost that appears costs a message a joint, once
    view.show(replace(snapshot, q=moved, reference=replace(snapshot.reference, q=moved)))
    assert count_messages(server) - sent < 10


def test_the_cost_of_an_update_is_reported(
    view: BrowserView, model: RobotModel, record_property: Callable[[str, object], None]
) -> None:
    costs = []
    for k in range(120):
        sway = shift(model.q_nominal, np.array([1e-3 * k, 0.0, 0.0]))
        sway[7:] += 1e-3 * k
        snapshot = make_snapshot(model, q=sway, reference_q=move_joints(model, sway, RAISED_ARM))
        start = time.thread_time()
        view.show(snapshot)
        costs.append(time.thread_time() - start)
    record_property("show_median_ms", 1e3 * float(np.median(costs)))
    print(f"one update of a robot whose every joint moves: {1e3 * np.median(costs):.1f} ms of CPU")


def find_link_pixels(model: RobotModel, meshes: tuple[LinkMesh, ...], joint: str, client: viser.ClientHandle) -> np.ndarray:
    """Return where the middles of a link's meshes are on the page, shape ``(k, 2)``."""
    data = model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, model.q_nominal)
    number = model.pinocchio.getJointId(joint)
    points = np.vstack([mesh.vertices for mesh in meshes if mesh.joint == number]).astype(float)
    middle = points.mean(axis=0)
    return np.array([project(client, data.oMi[number].act(0.5 * (point + middle))) for point in points[::40]])


def load_joint(model: RobotModel, joint: str, share: float) -> np.ndarray:
    """Return torques of which one joint's is a share of its limit, shape ``(n,)`` [Nm]."""
    torques = np.zeros(model.n)
    number = model.pinocchio.getJointId(joint) - 2
    torques[number] = share * model.torque_limits[number]
    return torques


def find_plate(picture: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Say where around a pixel the picture has the colour of an alarm."""
    column, row = np.round(middle).astype(int)
    part = picture[max(row - 60, 0) : row + 60, max(column - 200, 0) : column + 200].astype(int)
    return np.abs(part - palette.ALARM).max(axis=2) < 40


def find_ghost_links(server: GuardedServer) -> list[str]:
    return [name for name in server.scene._handle_from_node_name if name.startswith("/ghost") and name.endswith("/mesh")]


def find_texts(view: BrowserView) -> str:
    return "\n".join(text.label.text for text in view._nodes._labels._shown)


def count_messages(server: GuardedServer) -> int:
    return server._websock_server._broadcast_buffer.message_counter


def is_alarm(pixel: np.ndarray) -> bool:
    return bool(np.abs(pixel.astype(int) - palette.ALARM).max() < 40)


def test_every_counter_has_words() -> None:
    assert {field.name for field in fields(Counters)} <= COUNTER_WORDS.keys()


def test_the_details_tell_how_warm_the_motors_are_where_a_robot_does(model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    health = RobotHealth(hottest="left knee", temperature=61.4, voltage=48.24)
    assert "left knee" not in describe_details(snapshot, model)
    assert "left knee 61 C, the others less, supply 48.2 V" in describe_details(replace(snapshot, health=health), model)
    no_supply = replace(snapshot, health=replace(health, voltage=None))
    assert "supply" not in describe_details(no_supply, model)
