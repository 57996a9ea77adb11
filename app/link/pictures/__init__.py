"""Camera pictures as bytes for a link."""
