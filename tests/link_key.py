"""The key of the links of tests whose processes only need one that both sides know."""

KEY = bytes(range(32))
