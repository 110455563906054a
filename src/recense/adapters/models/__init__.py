"""Models behind HTTP endpoints, in the three forms that endpoints speak; the extra ``models``."""
