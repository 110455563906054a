"""One file per source of sessions; what they share is how lines are read safely."""
