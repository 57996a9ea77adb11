"""The robot's own body in depth images: taken out, and used to tell where the camera is."""
