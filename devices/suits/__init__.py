"""Motion capture: what tells where a person's limbs are."""
