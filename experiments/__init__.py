"""Where theory and measurement meet: one file per claim, in folders by topic, and the command line."""

NOT_TOPICS = ("networks", "commands", "studies", "mutants")  # packages without claims
