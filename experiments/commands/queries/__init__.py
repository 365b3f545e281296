"""Questions that ``depthjax bound`` answers: one dataclass each, whose fields are its arguments."""
