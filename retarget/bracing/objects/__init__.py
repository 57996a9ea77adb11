"""Objects between both hands: grasped, weighed, moved and let go of."""
