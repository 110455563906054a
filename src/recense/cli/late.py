"""What the command line loads late, and why.

``recense --help`` answers before a person notices waiting. So the engine, rich and each command are
loaded when they are needed, and here: the command line has no other imports inside functions.
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, TextIO

import typer

from recense.bench.requests import (
    AgentsRequest,
    BenchRequest,
    ColdRequest,
    FactsRequest,
    GrowingRequest,
    ImportRequest,
    NeedlesRequest,
    QualityRequest,
    ScaleRequest,
    ServeRequest,
    SpeedRequest,
)
from recense.bench.results import BenchResult
from recense.cli.connecting import OpenConnecting
from recense.cli.key_operations import OpenKeys
from recense.cli.lines import Line
from recense.cli.memory import OpenMemory, Report, ServeModels
from recense.errors import MissingExtra
from recense.servers.http.options import Listening, ServeOptions

if TYPE_CHECKING:
    from recense.core.text.known_secrets import KnownSecrets

_USUAL: Final = gc.get_threshold()
"""How seldom the interpreter collects by itself."""


def command_app(module: str) -> typer.Typer:
    """Return the application (``app``) of a command's module."""
    app = import_module(module).app
    if not isinstance(app, typer.Typer):
        raise TypeError(f"{module}.app is {type(app).__name__}, expected typer.Typer")
    return app


def redacted(text: str) -> str:
    """Return a text with its secrets replaced by markers."""
    from recense.core.text.redact import redact  # noqa: PLC0415 -- the engine of redaction

    return redact(text).text


def memory_opener() -> OpenMemory:
    """Return what opens the memory that the settings of this machine name.

    Nothing is collected meanwhile: what is loaded stays.
    """
    gc.disable()
    try:
        from recense.cli.opening import open_configured  # noqa: PLC0415 -- the engine
    finally:
        gc.freeze()
        gc.enable()
    return open_configured


def keys_opener() -> OpenKeys:
    """Return what opens the keys of the store that the settings of this machine name."""
    from recense.cli.opening_keys import open_configured_keys  # noqa: PLC0415 -- the engine

    return open_configured_keys


def serve(
    flags: Mapping[str, str], options: ServeOptions, ready: Callable[[Listening], None]
) -> Listening:
    """Serve the store that the settings of this machine name, until stopped.

    Raises MissingExtra where what serves is not installed.
    """
    try:
        from recense.cli.opening_server import serve_configured  # noqa: PLC0415 -- Litestar
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "recense":
            raise
        raise MissingExtra(
            f"serving needs {error.name}, which is not installed",
            hint="pip install 'recense[server]'",
        ) from error
    gc.set_threshold(*_USUAL)  # calls leave more behind that keeps each other than commands do
    gc.collect()
    gc.freeze()  # what is loaded stays
    return serve_configured(flags, options, ready, installed_version())


def connecting_opener() -> OpenConnecting:
    """Return what connects clients to the store that the settings of this machine name."""
    from recense.cli.opening import connecting_configured  # noqa: PLC0415 -- the engine

    return connecting_configured


def known_secrets(paths: Sequence[str]) -> "KnownSecrets":
    """Return the secrets of `.env` files; see `read_known_secrets`."""
    from recense.services.secret_files import read_known_secrets  # noqa: PLC0415 -- the engine

    return read_known_secrets(paths)


def styled_writer() -> Callable[[TextIO, Sequence[Line]], None]:
    """Return what writes lines in colour."""
    from recense.cli.styled import write_styled  # noqa: PLC0415 -- rich

    return write_styled


def run_bench(request: BenchRequest, progress: Report) -> BenchResult:
    """Run a benchmark. Raises MissingExtra where a library that it compares us with is missing."""
    try:
        return _run_bench(request, progress)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"the benchmark needs {error.name}, which is not installed",
            hint="pip install 'recense[bench]'",
        ) from error


def _run_bench(request: BenchRequest, progress: Report) -> BenchResult:
    match request:
        case QualityRequest():
            from recense.bench.quality import run_quality  # noqa: PLC0415 -- numpy

            return run_quality(request, progress)
        case NeedlesRequest():
            from recense.bench.needles import run_needles  # noqa: PLC0415 -- numpy

            return run_needles(request, progress)
        case ImportRequest():
            from recense.bench.importing import run_import  # noqa: PLC0415 -- the engine

            return run_import(request, progress)
        case SpeedRequest():
            from recense.bench.recalling import run_speed  # noqa: PLC0415 -- numpy

            return run_speed(request, progress)
        case ColdRequest():
            from recense.bench.cold import run_cold  # noqa: PLC0415 -- the engine

            return run_cold(request, progress)
        case ScaleRequest():
            from recense.bench.scaling import run_scale  # noqa: PLC0415 -- the engine

            return run_scale(request, progress)
        case FactsRequest():
            from recense.bench.facts import run_facts  # noqa: PLC0415 -- the engine

            return run_facts(request, progress)
        case AgentsRequest():
            from recense.bench.agents import run_agents  # noqa: PLC0415 -- the engine

            return run_agents(request, progress)
        case GrowingRequest():
            from recense.bench.extracting import run_extracting  # noqa: PLC0415 -- the engine

            return run_extracting(request, progress)
        case ServeRequest():
            from recense.bench.serving import run_serve  # noqa: PLC0415 -- the engine, a client

            return run_serve(request, progress)


def models_server() -> ServeModels:
    """Return what serves models over the streams of this process.

    Raises MissingExtra where a library that it needs is not installed.
    """
    try:
        from recense.cli.serving_models import serve_models  # noqa: PLC0415 -- mcp
    except ModuleNotFoundError as error:
        raise server_extra_missing(error) from error
    return serve_models


def server_extra_missing(error: ModuleNotFoundError) -> MissingExtra:
    """Return the error of a server that lacks a library."""
    return MissingExtra(
        f"a server needs {error.name}, which is not installed",
        hint="pip install 'recense[server]'",
    )


def installed_version() -> str:
    """Return the version of Recense that is installed."""
    from importlib.metadata import version  # noqa: PLC0415 -- a parser of package metadata

    return version("recense")
