"""Who listens for long: its key is proved again and again, by the store and not by what is known.

Law: a stream outlives its key by STREAM_KEY_SECONDS_MAX and no longer, whoever revoked the key and
where, also where the store cannot be asked meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from litestar.types import Message, Send

from recense.errors import AccessRefused, RecenseError
from recense.limits import STREAM_KEY_SECONDS_MAX, STREAM_PROOF_SECONDS
from recense.servers.http.parts import CallState, ServerParts


class LastingProof:
    """That the key of a call which lasts holds still; for the event loop's thread alone."""

    def __init__(self, parts: ServerParts, state: CallState) -> None:
        self._parts: Final = parts
        self._state: Final = state
        self._proved_at = parts.monotonic()

    async def require(self) -> None:
        """Prove the key: by what this process knows, and by the store once STREAM_PROOF_SECONDS
        have passed since that was asked.

        Raises AccessRefused once it holds no more; what else goes wrong with the store once it was
        not proved for STREAM_KEY_SECONDS_MAX.
        """
        asked_at = self._parts.monotonic()
        is_due = asked_at - self._proved_at >= STREAM_PROOF_SECONDS
        try:
            await self._parts.workers.run(lambda: self._state.proved_again(anew=is_due))
        except AccessRefused:
            raise
        except RecenseError:
            if self._parts.monotonic() - self._proved_at >= STREAM_KEY_SECONDS_MAX:
                raise
            return
        if is_due:
            self._proved_at = asked_at


async def answered_while_proved(
    parts: ServerParts, state: CallState, answer: Callable[[Send], Awaitable[None]], send: Send
) -> None:
    """Let an answer be sent for as long as the key of its call holds; then it ends where it is.

    What is answered before the key is due to be proved costs no task.
    """
    sending, proof = _Sending(send), LastingProof(parts, state)
    loop, limit = asyncio.get_running_loop(), asyncio.timeout(None)
    proving: asyncio.Task[None] | None = None

    def begin() -> None:
        nonlocal proving
        proving = loop.create_task(_prove_on(proof, limit))

    due = loop.call_later(STREAM_PROOF_SECONDS, begin)
    try:
        async with limit:
            await answer(sending.send)
    except TimeoutError:
        if not limit.expired():
            raise
        await sending.end()
    finally:
        due.cancel()
        if proving is not None:
            proving.cancel()


async def _prove_on(proof: LastingProof, limit: asyncio.Timeout) -> None:
    """Prove a key until it holds no more; then what is limited is over."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            await proof.require()
        except RecenseError:
            limit.reschedule(loop.time())
            return
        await asyncio.sleep(STREAM_PROOF_SECONDS)


class _Sending:
    """An answer as it is sent, to be ended if it does not end by itself."""

    def __init__(self, send: Send) -> None:
        self._send: Final = send
        self._is_open = False

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self._is_open = True
        elif message["type"] == "http.response.body":
            self._is_open = message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """Send that there is no more of what was begun."""
        if self._is_open:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
