"""What people read of a run: panels, figures and the page."""
