"""Scenes in a headset, by OpenXR, and in a window for bystanders."""
