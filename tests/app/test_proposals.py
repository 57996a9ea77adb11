"""Places to brace, from the process that looks for them to the cycle."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from stations import PATIENCE

from handhold.app.host.surfaces import list_surfaces
from handhold.app.host.surroundings import PROPOSED_FOR, Surroundings
from handhold.app.lab.gallery.snapshots import make_snapshot
from handhold.app.link import HostLink
from handhold.app.link.authority import Refusal
from handhold.app.link.bulletin import Bulletin
from handhold.app.link.codecs import check_proposal, proposal_codec
from handhold.app.link.messages import MessageError, Stamp
from handhold.app.proposals.proposer import PERIOD, Proposer
from handhold.app.session.config import SessionConfig, find_free_port
from handhold.app.session.processes import PROPOSALS
from handhold.perception.brace_place import BracePlace
from handhold.retarget.bracing.candidates.proposal import MAX_PLACES, Proposal
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world


def make_proposal(when=10.0, surface=1, number=1, **changes):
    values = {
        "surface": surface,
        "hand": 2,
        "point": np.zeros(3),
        "axis": np.array([1.0, 0.0, 0.0]),
        "gain": 0.02,
        "torque_ratio": 0.5,
        "region": np.zeros((3, 2)),
        "margin": 0.06,
        "edge": 0,
        "limit": "",
    }
    return Proposal(time=when, places=(BracePlace(**(values | changes)),) * number)


def test_places_are_put_on_their_surfaces_until_they_are_old():
    surfaces = list_surfaces(load_world("workshop"))
    surroundings, proposal = Surroundings(surfaces), make_proposal(surface=3)
    surroundings.update(None, 10.1, proposal)
    known = surroundings.surfaces
    assert [surface.identity for surface in known if surface.places] == [3]
    surroundings.update(None, 10.2, proposal)
    assert surroundings.surfaces is known
    surroundings.update(None, 10.0 + 1.01 * PROPOSED_FOR, proposal)
    assert not any(surface.places for surface in surroundings.surfaces)


def test_surfaces_of_a_world_have_numbers_of_their_own():
    identities = [surface.identity for surface in list_surfaces(load_world("workshop"))]
    assert len(set(identities)) == len(identities)
    assert min(identities) > 0


@pytest.mark.parametrize("changes", [{"number": MAX_PLACES + 1}, {"limit": "x" * 300}, {"edge": 9}])
def test_a_proposal_that_cannot_be_used_is_refused(changes):
    proposal = make_proposal(**changes)
    check_proposal(make_proposal())
    with pytest.raises(MessageError):
        check_proposal(proposal)
    assert Bulletin(proposal_codec(), check_proposal).judge(proposal_codec().encode(proposal, Stamp(1, 1, 10.0)), 10.1) is (
        Refusal.UNREADABLE
    )


def test_a_proposal_is_taken_once_in_order_and_only_of_its_time():
    codec = proposal_codec()
    bulletin = Bulletin(codec, check_proposal)
    assert bulletin.judge(None, 10.0) is Refusal.FORGED
    assert bulletin.judge(b"nonsense", 10.0) is Refusal.UNREADABLE
    message = codec.encode(make_proposal(), Stamp(1, 1, 10.0))
    assert bulletin.judge(message, 10.1) is None
    assert bulletin.newest is not None
    assert bulletin.judge(message, 10.2) is Refusal.REPLAYED
    assert bulletin.judge(codec.encode(make_proposal(9.0), Stamp(1, 2, 10.0)), 40.0) is Refusal.LATE


def test_places_are_looked_for_now_and_then_and_only_while_the_robot_braces():
    model, surfaces = load_model("talos"), list_surfaces(load_world("workshop"))
    snapshot, proposer = replace(make_snapshot(model), measured_at=5.0), Proposer(load_model("talos"))
    assert proposer.consider(replace(snapshot, mode="walking"), surfaces, 5.0) is None
    assert proposer.consider(snapshot, (), 5.0) is None
    found = proposer.consider(snapshot, surfaces, 5.0)
    assert found is not None
    assert found.time == 5.0
    assert {place.hand for place in found.places} == {model.effector_index(name) for name in ("left_hand", "right_hand")}
    assert proposer.consider(snapshot, surfaces, 5.0 + 0.9 * PERIOD) is None
    assert proposer.consider(snapshot, surfaces, 5.0 + 1.1 * PERIOD) is not None


@pytest.mark.alone
def test_its_process_hears_where_the_robot_stands_and_tells_the_host(tmp_path):
    config = SessionConfig(world="workshop", link_port=find_free_port(), log_folder=str(tmp_path))
    snapshot = make_snapshot(load_model(config.robot))
    with HostLink(config.link, time.monotonic) as host:
        process = PROPOSALS.start(config)
        try:
            end = time.monotonic() + PATIENCE
            while host.newest_proposal is None and time.monotonic() < end:
                host.send_snapshot(replace(snapshot, measured_at=time.monotonic()))
                time.sleep(0.05)
            assert host.newest_proposal is not None
            assert host.newest_proposal.places
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
