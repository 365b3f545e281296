"""What is measured: ordered products, distances, observed orders."""
