"""Contacts made and broken: approach, loading, unloading, support."""
