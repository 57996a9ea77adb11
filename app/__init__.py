"""Commands, configuration and processes: the only package that names concrete classes together."""
