"""Recorded problems that benchmarks are timed against."""
