"""The operator's interface in a headset, as a state: the wheel, settings, and where the room stands."""
