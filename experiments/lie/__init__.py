"""Claims about Lie algebras, towers of prefix sums and word problems."""
