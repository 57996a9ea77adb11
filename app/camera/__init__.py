"""The depth camera of a robot: what it sees in a simulation, and whether it sits where it should."""
