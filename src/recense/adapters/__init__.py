"""The outside as we found it: the system's clock and chance, and the stores."""
