"""``GET /v1/changes``: facts and sessions as they change, as server-sent events.

A look notices that something is different; each follower then fetches what it has not been told, at
its own pace. So nothing is kept for who reads slowly: it is behind, and catches up or is ended.

Events: ``fact`` (`FactChange`), ``session`` (`SessionChange`), ``lost`` (`ChangesLost`) and, as the
last, ``ended`` (`ChangesEnded`). The id of an event says up to where its reader has been told: who
comes back with it as ``Last-Event-ID`` is told of every fact since, and of every session that has
changed while this server remembers; else that this is lost. An id that is ahead of every fact is
that of another store, or of this one before its copy was put back: its reader is told that facts
are lost, and what happens from then on. Who comes without one is told what happens from then on.
"""

import re
from collections.abc import AsyncGenerator
from typing import Final

import msgspec
from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from recense.core.values import Value
from recense.errors import AccessRefused, InvalidRequest, ServerBusy
from recense.limits import (
    CHANGES_FOLLOWERS_MAX,
    CHANGES_HEARTBEAT_SECONDS,
    CHANGES_SLOW_SECONDS_MAX,
    STREAM_PROOF_SECONDS,
)
from recense.operations.changes import ChangesEnded, ChangesLost
from recense.servers.authorization import require_scope
from recense.servers.http.answers import Asked, streamed
from recense.servers.http.hubs import Hub, Hubs
from recense.servers.http.parts import CallState, ServerParts, call_state
from recense.servers.http.proving import LastingProof
from recense.services.changes import FactChanges, StoreChanges

CHANGES: Final = "/v1/changes"

_ID: Final = re.compile(r"(\d{1,18})\.([0-9a-f]{16})\.(\d{1,18})")
_HELLO: Final = b": changes\nretry: 2000\n\n"
_BEAT: Final = b": beat\n\n"
_ENCODER: Final = msgspec.json.Encoder()


class _Position(Value, kw_only=True):
    """Up to where a follower has been told: facts by their stamp, sessions by their count in what
    one run of the server remembers.
    """

    stamp: int
    run: str
    sessions: int

    def text(self) -> str:
        """Return it as the id of an event."""
        return f"{self.stamp}.{self.run}.{self.sessions}"


def changes_handler(parts: ServerParts, hubs: Hubs) -> HTTPRouteHandler:
    """Return what answers who follows changes."""
    followers = 0

    @get(CHANGES)
    async def follow_changes(request: Asked) -> Stream:
        """Answer with a stream of changes."""
        state = call_state(request.scope)
        require_scope(state.credential, "recall", "following changes", changes=False)
        if followers >= CHANGES_FOLLOWERS_MAX:
            raise ServerBusy(f"{followers} connections follow changes, as many as may")
        last = request.headers.get("last-event-id")
        hub = hubs.of(state.credential.namespace)
        await hub.look()
        newest = await hub.asked(lambda changes: changes.newest_stamp())
        follower = _Follower(parts, hub, state, last=_begun(last, hub, newest), newest=newest)
        return streamed(counted(follower), "text/event-stream")

    async def counted(follower: _Follower) -> AsyncGenerator[bytes]:
        nonlocal followers
        followers += 1
        parts.metrics.followers.set(followers)
        try:
            with follower.hub.followed():
                async for piece in follower.pieces():
                    yield piece
        finally:
            followers -= 1
            parts.metrics.followers.set(followers)

    return follow_changes


class _Follower:
    """One connection that follows changes."""

    def __init__(
        self, parts: ServerParts, hub: Hub, state: CallState, *, last: _Position, newest: int
    ) -> None:
        """``last`` is up to where it was told, and ``newest`` the stamp of the newest fact."""
        self.hub: Final = hub
        self._parts: Final = parts
        self._state: Final = state
        self._is_ahead: Final = last.stamp > newest
        self._position = msgspec.structs.replace(last, stamp=min(last.stamp, newest))
        self._mark: str | None = None

    async def pieces(self) -> AsyncGenerator[bytes]:
        """Yield events as they come, and a beat where there are none; end by saying why."""
        yield _HELLO
        try:
            async for piece in self._rounds():
                yield piece
        except AccessRefused:
            yield _event("ended", ChangesEnded(why="key_refused"))

    async def _rounds(self) -> AsyncGenerator[bytes]:
        """Yield what is new again and again; the key is proved anew before anything is looked for.
        Raises AccessRefused once it holds no more.
        """
        now = self._parts.monotonic
        proof = LastingProof(self._parts, self._state)
        if self._is_ahead:
            yield _event("lost", ChangesLost(of="facts"), self._position)
        said_at = now()
        while True:
            version = self.hub.version
            await proof.require()
            async for piece in self._news():
                sent_at = now()
                yield piece
                said_at = now()
                if said_at - sent_at > CHANGES_SLOW_SECONDS_MAX:
                    yield _event("ended", ChangesEnded(why="slow"))
                    return
            if self._parts.is_stopping():
                yield _event("ended", ChangesEnded(why="stopping"))
                return
            silent = now() - said_at
            if silent >= CHANGES_HEARTBEAT_SECONDS:
                yield _BEAT
                said_at, silent = now(), 0.0
            wait = min(STREAM_PROOF_SECONDS, CHANGES_HEARTBEAT_SECONDS - silent)
            await self.hub.changed_since(version, wait)

    async def _news(self) -> AsyncGenerator[bytes]:
        """Yield what this follower has not been told."""
        mark = self.hub.mark
        is_more = mark != self._mark
        while is_more:
            page = await self._facts()
            for change in page.facts:
                self._position = msgspec.structs.replace(self._position, stamp=change.stamp)
                yield _event("fact", change, self._position)
            is_more = page.is_more
        self._mark = mark
        told = self.hub.sessions_after(self._position.run, self._position.sessions)
        self._position = msgspec.structs.replace(self._position, run=self.hub.run)
        if told is None:
            self._position = msgspec.structs.replace(
                self._position, sessions=self.hub.session_changes
            )
            yield _event("lost", ChangesLost(), self._position)
            return
        for number, change in told:
            self._position = msgspec.structs.replace(self._position, sessions=number)
            yield _event("session", change, self._position)

    async def _facts(self) -> FactChanges:
        stamp = self._position.stamp

        def found(changes: StoreChanges) -> FactChanges:
            self._state.proved_again()  # who reads slowly may be pages behind
            return changes.facts_after(stamp)

        return await self.hub.asked(found)


def _begun(last: str | None, hub: Hub, newest: int) -> _Position:
    """Return where a follower begins: behind the event that it was told last, or now."""
    if last is None:
        return _Position(stamp=newest, run=hub.run, sessions=hub.session_changes)
    named = _ID.fullmatch(last)
    if named is None:
        raise InvalidRequest(
            "the header Last-Event-ID is no id of an event of this stream",
            hint="leave it out to be told what happens from now on",
        )
    return _Position(stamp=int(named[1]), run=named[2], sessions=int(named[3]))


def _event(name: str, data: Value, position: _Position | None = None) -> bytes:
    lines = [b"event: " + name.encode()]
    if position is not None:
        lines.append(b"id: " + position.text().encode())
    return b"\n".join((*lines, b"data: " + _ENCODER.encode(data), b"", b""))
