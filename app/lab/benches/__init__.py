"""Benchmarks: thread CPU time, also as multiples of a kernel timed in the same run."""
