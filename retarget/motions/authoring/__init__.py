"""Motions made beforehand: from key postures to a motion of one robot."""
