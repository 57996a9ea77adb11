"""Simulated robots: two physics engines, and what makes them less than ideal."""
