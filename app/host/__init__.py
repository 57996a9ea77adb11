"""The robot host: the control cycle, and the process that runs it in real time."""
