"""Attacks and accidents: what the safety of a session is measured by. No session imports it."""
