"""Facts: events, the registry that rules over them, and the fold that says what holds."""
