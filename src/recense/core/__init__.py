"""Values and functions: no clock, no chance, no input or output, no log."""
