"""Agents: what they wrote down, what of it is read again, and what may be done again."""
