"""The page that people read of a run, and what makes it inert."""
