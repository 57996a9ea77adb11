"""Scenarios: a scripted operator drives a simulated robot in lockstep, and the run is measured."""
