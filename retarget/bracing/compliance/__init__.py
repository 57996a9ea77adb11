"""Hands and body that give way to people."""
