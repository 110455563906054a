"""What a server does besides answering: it indexes what came in, watches the files of agents and
reads what they say for facts.

It says in the log which of that it does, once that is begun: a fact that nobody reads for is not
missed for hours.

Laws: each work has a thread of its own, which asks nobody and is asked by nobody; what goes wrong
is said in the log and tried again later. A stop is heeded between two steps, and what is not done
then is done at the next start: nothing is lost by it.
"""

import threading
from collections.abc import Callable
from typing import Final

from recense.core.namespaces import DEFAULT_NAMESPACE
from recense.errors import Cancelled, RecenseError
from recense.limits import (
    BACKGROUND_PAUSE_SECONDS,
    BACKGROUND_RETRY_SECONDS,
    BACKGROUND_UPKEEP_SECONDS,
    WATCH_SECONDS_DEFAULT,
)
from recense.operations.admin import ImportReport, Progress
from recense.operations.extraction import SessionRun
from recense.servers.http.logs import ServerLog
from recense.servers.http.metrics import Metrics
from recense.services.cancelling import require_wanted
from recense.wiring.namespaces import Namespaces

_WATCHING: Final = f"what agents on this machine say comes to the namespace {DEFAULT_NAMESPACE!r}"
_EXTRACTING: Final = (
    f"sessions of the namespace {DEFAULT_NAMESPACE!r} are read for facts as they grow, from now on"
)
_NOT_WATCHING: Final = "; none is imported from agents on this machine without --watch"


class Background:
    """The work in the background of one server. ``touched`` is told of each namespace in which
    something may be different now.
    """

    def __init__(
        self,
        namespaces: Namespaces,
        log: ServerLog,
        metrics: Metrics,
        touched: Callable[[str], None],
        *,
        watches: bool,
        extracts: bool,
    ) -> None:
        self._namespaces: Final = namespaces
        self._log: Final = log
        self._metrics: Final = metrics
        self._touched: Final = touched
        self._stopping: Final = threading.Event()
        self._wanted: Final = threading.Event()
        self._lock: Final = threading.Lock()
        self._to_index: Final[set[str]] = {DEFAULT_NAMESPACE}
        works: list[tuple[str, Callable[[], None]]] = [("index", self._index_round)]
        if watches:
            works.append(("watch", lambda: self._watch(extracts=extracts)))
        elif extracts:
            works.append(("extract", self._extract))
        self._threads: Final = [
            threading.Thread(
                target=self._again_and_again, args=work, name=f"recense-{work[0]}", daemon=True
            )
            for work in works
        ]

    def start(self) -> None:
        """Begin."""
        self._wanted.set()
        for thread in self._threads:
            thread.start()

    def index(self, namespace: str) -> None:
        """Index a namespace soon: something came in."""
        with self._lock:
            self._to_index.add(namespace)
        self._wanted.set()

    def stop(self, seconds: float) -> bool:
        """Stop, and return whether all had stopped within so many seconds."""
        self._stopping.set()
        self._wanted.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)

    def _again_and_again(self, name: str, work: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                work()
            except Cancelled:
                return  # nothing but a stop cancels
            except RecenseError as error:
                self._failed(name, error.code)
                self._stopping.wait(BACKGROUND_RETRY_SECONDS)
            except Exception as error:  # noqa: BLE001 -- a bug is told, and the others go on
                self._log.bug(error)
                self._metrics.background.labels(name, "bug").inc()
                self._stopping.wait(BACKGROUND_RETRY_SECONDS)
            else:
                self._metrics.background.labels(name, "done").inc()

    def _index_round(self) -> None:
        """Index what waits, or after a while without any look after what is open."""
        is_wanted = self._wanted.wait(BACKGROUND_UPKEEP_SECONDS)
        self._wanted.clear()
        if not is_wanted:
            self._look_after()
        elif not self._stopping.wait(BACKGROUND_PAUSE_SECONDS):
            with self._lock:
                waiting = sorted(self._to_index)
                self._to_index.clear()
            for namespace in waiting:
                self._index_one(namespace)

    def _index_one(self, namespace: str) -> None:
        try:
            with self._namespaces.memory(namespace) as memory:
                memory.index(self._require_going_on)
        except RecenseError:
            with self._lock:
                self._to_index.add(namespace)
            self._wanted.set()
            raise

    def _look_after(self) -> None:
        for namespace in self._namespaces.open_names():
            with self._namespaces.memory(namespace) as memory:
                memory.serving.outcomes.sweep()
        self._namespaces.close_idle()

    def _watch(self, *, extracts: bool) -> None:
        with self._namespaces.memory(DEFAULT_NAMESPACE) as memory:
            self._log.say("watching", _WATCHING)
            wait = self._stopping.wait
            if extracts:
                wait = memory.extraction.followed(self._stopping.wait, self._tell_read)
                self._log.say("extracting", _EXTRACTING)
            memory.watch_sessions(
                None,
                (),
                every=WATCH_SECONDS_DEFAULT,
                wait=wait,
                tell=self._tell_import,
                progress=self._require_going_on,
            )

    def _extract(self) -> None:
        with self._namespaces.memory(DEFAULT_NAMESPACE) as memory:
            wait = memory.extraction.followed(self._stopping.wait, self._tell_read)
            self._log.say("extracting", f"{_EXTRACTING}{_NOT_WATCHING}")
            while not wait(WATCH_SECONDS_DEFAULT):
                pass

    def _require_going_on(self, _progress: Progress) -> None:
        """Break off what takes long where the server stops. Raises Cancelled."""
        require_wanted(self._stopping.is_set)

    def _tell_import(self, told: ImportReport | RecenseError) -> None:
        if isinstance(told, RecenseError):
            self._failed("watch", told.code)
            return
        files_failed = sum(each.files_failed for each in told.sources)
        if files_failed:
            self._log.say(
                "import_failed",
                "files of agents could not be imported; `recense import` says why",
                level="warning",
                counts={"files": files_failed},
            )
            self._metrics.background.labels("watch", "file_failed").inc(files_failed)
        counts = {"messages": told.messages_new, "sessions": told.sessions_new}
        self._log.say("imported", "new in the files of agents", counts=counts)
        self._metrics.background.labels("watch", "done").inc()
        self._touched(DEFAULT_NAMESPACE)

    def _tell_read(self, told: SessionRun | RecenseError) -> None:
        if isinstance(told, RecenseError):
            self._failed("extract", told.code)
            return
        if told.failed:
            self._log.say(
                "extraction_failed",
                "batches of a session could not be read; `recense extract status` says why",
                level="warning",
                counts={"batches": told.failed},
            )
            self._metrics.background.labels("extract", "batch_failed").inc(told.failed)
        self._log.say("read", "a session was read for facts")
        self._metrics.background.labels("extract", "done").inc()
        self._touched(DEFAULT_NAMESPACE)
        require_wanted(self._stopping.is_set)

    def _failed(self, name: str, code: str) -> None:
        self._log.say(f"{name}_failed", code, level="warning")
        self._metrics.background.labels(name, code).inc()
