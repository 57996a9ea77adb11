"""Robots on the ground floor: descriptions, models, simulated bodies and the whole-body controller."""
