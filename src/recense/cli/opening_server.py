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

    Raises SettingsInvalid for what may not be served so, and what opening a store raises.
    """
    server = Server(configured(flags), options, version=version, log=sys.stderr.buffer)
    server.serve(ready)
    return server.listening
