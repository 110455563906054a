"""What a session is made of: archive records, events, and the messages projected from them."""
