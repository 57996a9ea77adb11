"""Commissioning: what is asked and measured of a maker's robot, from power-on to the first step of a hand."""
