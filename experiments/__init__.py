"""Where theory and measurement meet: one folder per claim, in folders by topic, and the command line."""

NOT_TOPICS = ("networks", "commands", "studies", "mutants")  # packages without claims
