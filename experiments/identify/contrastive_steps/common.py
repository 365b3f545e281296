"""Where the steps of plain descent are counted."""

START, END = 1e-6, 1e-9  # distances between which the steps of a factor e are counted
