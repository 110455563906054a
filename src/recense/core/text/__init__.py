"""Turning text into what can be compared, hidden and cut."""
