"""One call of the command line: what every command shares."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Final

import typer

from recense.bench.requests import BenchRequest
from recense.bench.results import BenchResult
from recense.cli import late
from recense.cli.connecting import ConnectOperations, OpenConnecting
from recense.cli.key_operations import KeyOperations, OpenKeys
from recense.cli.lines import Line
from recense.cli.memory import MemoryOperations, OpenMemory, RunBench, ServeModels
from recense.cli.progress import ProgressLine
from recense.cli.serving_operations import Serve
from recense.servers.http.options import Listening, ServeOptions


class Call:
    """What is shared by the commands of one command line.

    Each command says with `choose` what it was given of the options that all commands have; they
    may also stand before its word.
    """

    def __init__(
        self,
        open_memory: OpenMemory | None,
        new_progress: Callable[[], ProgressLine],
        ask: Callable[[str], bool | None],
        say: Callable[[Iterable[Line]], None],
        run_bench: RunBench | None = None,
        *,
        open_keys: OpenKeys | None = None,
        serve: Serve | None = None,
        serve_models: ServeModels | None = None,
        open_connecting: OpenConnecting | None = None,
        read_input: Callable[[bool], str | None],
        columns: int,
    ) -> None:
        self._open_memory = open_memory
        self._open_keys = open_keys
        self._run_bench = run_bench
        self._serve = serve
        self._serve_models = serve_models

        self._open_connecting = open_connecting
        self._flags: dict[str, str] = {}
        self.progress: Final = new_progress
        self.ask: Final = ask
        self.say: Final = say
        self.read_input: Final = read_input
        self.columns: Final = columns
        self.as_json = False

    @staticmethod
    def of(context: typer.Context) -> "Call":
        """Return the call that a command's context belongs to."""
        call: object = context.obj
        if not isinstance(call, Call):
            raise TypeError(f"the context holds {type(call).__name__}, expected Call")
        return call

    def choose(self, store: str | None, namespace: str | None, as_json: bool) -> None:
        """Take what was given; what was not given stays as it was."""
        given = {"store": store, "namespace": namespace}
        self._flags |= {name: value for name, value in given.items() if value is not None}
        self.as_json = self.as_json or as_json

    def memory(self, *, create: bool = False) -> AbstractContextManager[MemoryOperations]:
        """Open the memory that the options name.

        Only a command that brings something in makes it where there is none.
        """
        return (self._open_memory or late.memory_opener())(self._flags, create=create)

    def keys(self, *, create: bool = False) -> AbstractContextManager[KeyOperations]:
        """Open the keys of the store that the options name; only issuing one makes a file."""
        return (self._open_keys or late.keys_opener())(self._flags, create=create)

    def serve(self, options: ServeOptions, ready: Callable[[Listening], None]) -> Listening:
        """Serve the store that the options name, until stopped; ``ready`` is called once calls are
        answered.
        """
        return (self._serve or late.serve)(self._flags, options, ready)

    def models_server(self) -> ServeModels:
        """Return what serves models over the streams of this process. Raises MissingExtra."""
        return self._serve_models or late.models_server()

    @property
    def flags(self) -> Mapping[str, str]:
        """The settings that options name."""
        return self._flags

    @property
    def is_store_chosen(self) -> bool:
        """Whether an option names a store or a namespace."""
        return bool(self._flags)

    def connecting(self) -> ConnectOperations:
        """Return what connects clients to the store that the options name."""
        return (self._open_connecting or late.connecting_opener())(self._flags)

    def bench(self, request: BenchRequest) -> BenchResult:
        """Run a benchmark and show how far it has come."""
        with self.progress() as progress:
            return (self._run_bench or late.run_bench)(request, progress)
