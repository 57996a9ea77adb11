"""Pre-optimised motions: files, checks against the model, player and mode."""
