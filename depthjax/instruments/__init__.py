"""What several claims measure with: an instrument is a function of a network, its weights and its inputs."""
