"""Published layers: one file a kind, which says the names of its parameters and gives letters their transitions."""
