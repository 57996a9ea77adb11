"""Scenarios in real processes and real time: host, guard, a maker's protocol, and a robot that stands in."""
