"""A depth camera in a simulated world: what it would see, and what a stereo camera makes of it."""
