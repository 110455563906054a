"""The command line: it talks to a person, or with ``--json`` to a person's scripts."""
