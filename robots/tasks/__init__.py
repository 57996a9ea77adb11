"""Tasks and limits: what quadratic programs over a robot's motion are made of, one a file."""
