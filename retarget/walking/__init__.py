"""Walking: from a velocity to footsteps, a centre of mass that cannot run away, and what the controller tracks."""
