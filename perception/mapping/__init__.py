"""The surfaces around the robot, kept in world while robot and camera move."""
