"""From terms to ranked passages: which messages match, how they rank, what is shown."""
