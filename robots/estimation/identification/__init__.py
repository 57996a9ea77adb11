"""What the drives of a robot are like: motions that show it, one joint at a time, and fits to what is measured meanwhile."""
