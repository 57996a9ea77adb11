"""The only OpenGL."""

OPENGL_VERSION = (4, 3)
"""Version of OpenGL's core profile that the pictures are drawn with."""
