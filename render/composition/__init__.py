"""From what is known to a scene: what is drawn once a snapshot, once a frame, and what is kept."""
