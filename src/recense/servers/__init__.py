"""Servers: doors through which a memory is asked from outside this process."""
