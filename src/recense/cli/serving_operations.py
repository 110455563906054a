"""What the command line asks of a server."""

from collections.abc import Callable, Mapping
from typing import Protocol

from recense.servers.http.options import Listening, ServeOptions


class Serve(Protocol):
    """Serves the store that flags (``store``, among other settings) name."""

    def __call__(
        self,
        flags: Mapping[str, str],
        options: ServeOptions,
        ready: Callable[[Listening], None],
    ) -> Listening:
        """Serve until stopped, then return where that was; ``ready`` is called once calls are
        answered.
        """
        ...
