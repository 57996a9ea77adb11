"""Whole-body retargeting: a person who is tracked moves the whole robot, kept balanced."""
