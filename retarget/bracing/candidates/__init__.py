"""Places on known surfaces where a free hand could brace, ranked by what they buy."""
