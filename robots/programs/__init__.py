"""Quadratic programs, their solvers, and what is solved by them."""
