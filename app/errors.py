"""Errors of the app package."""


class AppError(Exception):
    """A command cannot do what it was asked; the message says why and what mends it."""
