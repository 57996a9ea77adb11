"""A robot that stands in for a real one, in a process of its own."""
