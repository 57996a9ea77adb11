"""Errors of the devices package."""


class DeviceError(Exception):
    """An operator's device cannot be used, or is gone."""
