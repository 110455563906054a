"""What Recense asks of the outside: protocols, each with a written contract."""
