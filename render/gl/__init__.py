"""The only OpenGL."""
