"""From what the operator does to what the robot should track."""
