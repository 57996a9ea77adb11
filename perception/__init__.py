"""What is around the robot, as surfaces a hand could lean on."""
