"""Reading sessions for facts: what is read as one piece, what has been read, and what is left."""
