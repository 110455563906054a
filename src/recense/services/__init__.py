"""The operations themselves: they take values and ports, and never settings."""
