"""Depth cameras, live, recorded or fed: frames with their time and their intrinsics."""
