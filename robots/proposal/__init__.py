"""A first description of a humanoid, proposed from its URDF alone: what can be measured is, what is guessed is said."""
