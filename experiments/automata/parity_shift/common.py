"""The laws of training and of testing."""

LAWS = (0.15, 0.5)  # Pr[1] in training

SHIFTED = (0.7, 0.8, 0.9)
