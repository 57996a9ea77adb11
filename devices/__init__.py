"""What the operator does: every device turns its own world into an ``OperatorInput``."""
