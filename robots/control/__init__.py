"""The whole-body controller: from a reference to joint commands."""
