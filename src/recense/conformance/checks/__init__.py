"""The checks, one file a concern; every module here is imported by `all_checks`."""
