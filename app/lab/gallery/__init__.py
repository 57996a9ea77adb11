"""Pictures of everything that can be seen, made without a robot, an operator or a headset."""
