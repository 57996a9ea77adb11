"""What a scene is made of: one function for everything that can be seen."""
