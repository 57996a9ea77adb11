"""Multi-contact bracing: the operator's hands made feasible by SEIKO."""
