"""Serving the store that flags, environment and files of this machine name."""

import sys
from collections.abc import Callable, Mapping

from recense.cli.opening import configured
from recense.servers.http.options import Listening, ServeOptions
from recense.servers.http.serving import Server


def serve_configured(
    flags: Mapping[str, str],
    options: ServeOptions,
    ready: Callable[[Listening], None],
    version: str,
) -> Listening:
    """Serve until stopped, and return where that was; what is said of calls goes to stderr.

    ``ready`` is called where a person reads that: to a program the log says the same, and has a
    line of JSON in each of its lines.
    Raises SettingsInvalid for what may not be served so, and what opening a store raises.
    """
    server = Server(configured(flags), options, version=version, log=sys.stderr.buffer)
    server.serve(ready if sys.stderr.isatty() else _unheard)
    return server.listening


def _unheard(_listening: Listening) -> None:
    """Take where a server listens and say nothing."""
