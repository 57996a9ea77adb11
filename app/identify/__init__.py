"""Finds out what the drives of a robot are like, with somebody who consents to each step."""
