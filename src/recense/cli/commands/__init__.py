"""One file a command; each is loaded only when its word stands on the command line."""
