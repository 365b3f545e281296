"""Training: flows, optimisers and ensembles, each one compiled program."""
