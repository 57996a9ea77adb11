"""Robots of Unitree, by their maker's own protocol: both sides of it, and a robot that stands in for one."""
