"""Clients of a server: `recense.Client` and `recense.AsyncClient` (the extra ``client``)."""
