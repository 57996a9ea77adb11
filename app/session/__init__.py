"""A session: its configuration, its processes, and the supervisor that watches them."""
