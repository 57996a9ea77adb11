"""A headset with controllers or bare hands, by OpenXR."""
