"""Connecting clients: which there are, what each is to be told, and how their files are spliced."""
