"""Claims about attention: hops, doubling, and what one layer or a recurrence cannot hold."""
