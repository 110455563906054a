"""Every operation's name and structs, without handlers; the vocabulary of the wire."""
