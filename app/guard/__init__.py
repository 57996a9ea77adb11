"""The process that guards a maker's robot: it alone speaks the maker's protocol."""
