"""Runs a scenario in the host's loop and prints what it compiled, or took from numba's cache, that warming up had not."""

import sys
from functools import partial
from importlib import import_module

from handhold.app.host.cycle import Cycle
from handhold.app.host.warm_up import warm_up
from handhold.app.lab.benches import cycle
from handhold.retarget.bracing.margin.retargeting_choice import Retargeting

from numba.core.registry import CPUDispatcher  # isort: skip: numba reads the folder of its cache, which ours chooses, at import


def list_compiled():
    """The types of arguments that every compiled function of ours is known for."""
    modules = [vars(module) for name, module in list(sys.modules.items()) if name.startswith("handhold.")]
    functions = {value for names in modules for value in names.values() if isinstance(value, CPUDispatcher)}
    return {(function.py_func.__qualname__, signature) for function in functions for signature in function.signatures}


def main(scenario, seconds, *, retargeting):
    """Run it.

    Args:
        scenario: Module and name of a scenario.
        seconds: How long [s].
        retargeting: Whether contacts and posture are retargeted for the sake of stability.
    """
    module, name = scenario.split(":")
    warmed = set()

    def warm_and_list(*arguments):
        warm_up(*arguments)
        warmed.update(list_compiled())

    cycle.warm_up = warm_and_list
    # Not the one that warms up: it has what every session has.
    cycle.Cycle = partial(Cycle, retargeting=Retargeting(contact=retargeting, posture=retargeting))
    cycle.measure_loop("mujoco", getattr(import_module(f"handhold.app.lab.scenarios.{module}"), name), lambda _: True, seconds)
    for function, signature in sorted(list_compiled() - warmed, key=str):
        print(function, signature)
    print("measured")


main(sys.argv[1], float(sys.argv[2]), retargeting="retargeting" in sys.argv[3:])
