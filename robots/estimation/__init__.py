"""What is estimated of a robot: velocity, attitude, external forces, and whether its state can be believed."""
