"""The process that looks for places where hands could brace: beside the control loop, which never waits for it."""
