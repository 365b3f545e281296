"""Claims about what width buys and what depth costs: residual scaling, sensitivity, one wide layer."""
