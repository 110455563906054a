"""Messages by hand, for tests of what happens to them."""

from hypothesis import strategies as st

from recense.core.transcript.messages import Flag, Message, MessageKind, Run

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
"""Shaped like a token, and invented."""


def message(
    position: int,
    *runs: Run | str,
    kind: MessageKind = "user",
    turn: str = "e0",
    at: int | None = None,
    identity: bytes | None = None,
    flags: frozenset[Flag] = frozenset(),
) -> Message:
    """Return the message at a place, of runs; a bare string is its own text."""
    return Message(
        position=position,
        event_id=f"e{position}",
        ordinal=position,
        turn=turn,
        kind=kind,
        at=at,
        runs=tuple(Run(text=run) if isinstance(run, str) else run for run in runs),
        identity=identity,
        by_person=kind == "user",
        flags=flags,
    )


texts = st.lists(
    st.sampled_from(
        [
            *(
                "deploy",
                "Deploy",
                "ＤＥＰＬＯＹ",
                "straße",
                "STRASSE",
                "ﬁn",
                "fin",
                "数据库",
                "ab",
                "aba",
            ),
            *(
                "\n",
                " ",
                "e\u0301",
                "é",
                "\\",
                '"',
                "\x00",
                "\uffff",
                "\u0301",
                SECRET,
                "İ",
                "100%",
            ),
        ]
    ),
    max_size=6,
).map("".join)

runs = st.lists(st.builds(Run, text=texts.filter(bool), synthetic=st.booleans()), max_size=4)
