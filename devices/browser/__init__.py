"""A page in the browser as the operator's device."""
