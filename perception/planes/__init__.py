"""Planes found in a depth image, in inverse depth, and their boundaries."""
