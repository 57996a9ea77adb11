"""The page that a browser gets: who is let in, what it may say, and what it is made of."""
