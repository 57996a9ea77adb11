"""What the operator sees."""
