"""All benchmarks: a new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from handhold.app.lab.figures import Outcome


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark and where it is: imported when it is run, because each brings its own heavy parts.

    Attributes:
        name: Name on the command line.
        title: What is timed, in a line for people.
        module: Module that has it.
        function: Function that runs it; with ``engines`` it takes the engine's name, with ``any_robot`` the robot's.
        engines: Physics engines it can run with; empty where none is chosen.
        any_robot: Whether it runs on every robot; the others run on the default one.
        comparison: Module that holds it against another checkout's (its ``compare_cycles``); empty where none does.
        frame: Module that runs it on somebody's own depth image (its ``run_frame``); empty where none does.
        stress: Module that holds so many random problems against another solver (its ``run_stress``); empty where none does.
    """

    name: str
    title: str
    module: str
    function: str
    engines: tuple[str, ...] = ()
    any_robot: bool = False
    stress: str = ""
    comparison: str = ""
    frame: str = ""

    def run(self, engine: str, robot: str) -> Outcome:
        """Run the benchmark.

        Raises:
            RobotError: The robot cannot be had.
        """
        function: Callable[..., Outcome] = getattr(import_module(self.module), self.function)
        choices = ((engine, bool(self.engines)), (robot, self.any_robot))
        return function(*(choice for choice, taken in choices if taken))

    def run_stress(self, count: int) -> Outcome:
        """Hold so many random problems against another solver, where the benchmark has that."""
        function: Callable[[int], Outcome] = import_module(self.stress).run_stress
        return function(count)

    def run_frame(self, file: Path, intrinsics: str) -> Outcome:
        """Run the benchmark on somebody's own depth image, where it can be.

        Raises:
            AppError: It is no image, or there are no intrinsics.
            PerceptionError: It cannot be read.
        """
        function: Callable[[Path, str], Outcome] = import_module(self.frame).run_frame
        return function(file, intrinsics)

    def run_against(self, engine: str, folder: Path) -> Outcome:
        """Hold the benchmark against another checkout's, where it can be.

        Raises:
            NoCheckout: The folder is none.
        """
        function: Callable[[str, Path], Outcome] = import_module(self.comparison).compare_cycles
        return function(engine, folder)


BENCHES = (
    Bench(
        "seiko",
        "a tick of SEIKO through a saturated far reach",
        "handhold.app.lab.benches.seiko",
        "run_seiko_bench",
        any_robot=True,
    ),
    Bench(
        "controller",
        "a tick of the whole-body controller through a far reach",
        "handhold.app.lab.benches.controller",
        "run_controller_bench",
    ),
    Bench(
        "region",
        "stability region, incremental update and margin gradient of a braced robot that is moved",
        "handhold.app.lab.benches.region",
        "run_region_bench",
        stress="handhold.app.lab.benches.region_stress",
    ),
    Bench(
        "cycle",
        "a simulated second of the whole robot host",
        "handhold.app.lab.benches.cycle",
        "run_cycle_bench",
        engines=("mujoco", "pybullet"),
        comparison="handhold.app.lab.benches.comparison",
    ),
    Bench(
        "estimator",
        "the base of a robot that wanders, walks and is pushed, by an inertial unit, encoders and feet (15 minutes)",
        "handhold.app.lab.benches.estimator",
        "run_estimator_bench",
        engines=("mujoco", "pybullet"),
        any_robot=True,
    ),
    Bench(
        "suit",
        "a million mutated datagrams of a suit, none of which may count, and what reading true ones costs",
        "handhold.app.lab.benches.suit",
        "run_suit_bench",
    ),
    Bench(
        "touch",
        "what it costs that a hand gives way to who leads it, and how well the force on it is known",
        "handhold.app.lab.benches.touch",
        "run_touch_bench",
    ),
    Bench(
        "identify",
        "friction, rotors and delays found of a G1 that stands in and hangs, against what they are (10 minutes)",
        "handhold.app.lab.benches.identify",
        "run_identify_bench",
    ),
    Bench("seal", "what it costs that every message is authenticated", "handhold.app.lab.benches.seal", "run_seal_bench"),
    Bench(
        "preview",
        "previews of contact switches against what then happens, in 200 random stances (20 minutes)",
        "handhold.app.lab.benches.preview",
        "run_preview_bench",
        any_robot=True,
    ),
    Bench(
        "candidates",
        "places for a hand to brace on in 50 random rooms, ranked, against an exhaustive search and the nearest (5 minutes)",
        "handhold.app.lab.benches.candidates",
        "run_candidates_bench",
    ),
    Bench(
        "walking",
        "QP2 of the walk over 2 s and 4 steps, pushed to the edge of what footsteps can hold",
        "handhold.app.lab.benches.walking",
        "run_walking_bench",
        any_robot=True,
    ),
    Bench(
        "footholds",
        "a choice of a foothold on a beam, and a search for those ahead",
        "handhold.app.lab.benches.footholds",
        "run_foothold_bench",
        any_robot=True,
    ),
    Bench(
        "planes",
        "planes of a depth image and their boundaries, in 200 random rooms",
        "handhold.app.lab.benches.planes",
        "run_plane_bench",
        frame="handhold.app.lab.benches.plane_frame",
    ),
    Bench(
        "safety",
        "attacks and accidents: a part of each study in 5 minutes",
        "handhold.app.lab.benches.safety",
        "run_safety_bench",
    ),
    Bench("render", "a stereo frame with everything in it", "handhold.app.lab.benches.render", "run_render_bench"),
    Bench(
        "view",
        "what hides the interface in each world from each view, the contrast of texts, and the actions up to a brace",
        "handhold.app.lab.benches.view",
        "run_view_bench",
    ),
    Bench(
        "page",
        "the page in Chromium without a graphics card: how soon it is there, how fast it draws, and what it shows first",
        "handhold.app.lab.benches.page",
        "run_page_bench",
    ),
)
