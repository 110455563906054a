"""What the records of a conversation are, in which order, and what identifies them.

**Records.** Each node of the tree is a record, exactly as its export has it; after them comes a
head: the conversation without its tree, and with what the whole tree says: the active path and the
newest instant. A node without a message is kept and not converted.

**Identity.** A node's name is its record's uuid, and what identifies it is what was said, by whom
and to whom. A later export rewrites the rest: a parent's list of children grows with a branch, and
metadata comes and goes. The place of a node in its file means nothing from one export to the next,
so every record has the place 0. A head is identified by its title, its instant, its path and
whether it is put away: so the export that says nothing new adds nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, cast

import msgspec

from recense.core.transcript.records import SourceRecord
from recense.core.transcript.remembering import stand_in
from recense.core.values import Value
from recense.importers.chatgpt.tree import TreeNode, arranged
from recense.importers.foreign_values import instant_of
from recense.importers.json_list import Element, fields_of, record_from, settled_text
from recense.importers.lines import SourceLine, identifier_of, list_of, mapping_of, text_of
from recense.limits import LINE_BYTES_MAX, OBJECT_PARTS_MAX

HEAD: Final = "conversation"
"""The type of a head."""

PATH: Final = "recense_path"
NEWEST: Final = "recense_newest"
NODES: Final = "recense_nodes"
"""What a head has that its export has not: names of the nodes on the active path, root first; the
newest instant of a message; how many nodes there are."""

_TREE: Final = "mapping"
_NAME_BYTES: Final = 8
_LABEL_CODE_POINTS_MAX: Final = 64


class _Timed(msgspec.Struct):
    create_time: object = None


class _Linked(msgspec.Struct):
    """What of a node is read to find its place."""

    parent: object = None
    children: object = None
    message: _Timed | None = None


class _ReadingState(Value, kw_only=True, array_like=True):
    """The session to which an object belongs that names none."""

    session: str = ""


_link_decoder: Final = msgspec.json.Decoder(_Linked)
_encoder: Final = msgspec.json.Encoder()
_sorted_encoder: Final = msgspec.json.Encoder(order="sorted")
_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_ReadingState)


class ConversationReader:
    """Makes source records of the conversations of one file, in order."""

    def __init__(self, file_name: str, state: bytes) -> None:
        start = _state_decoder.decode(state) if state else _ReadingState()
        self._session = start.session or f"file-{stand_in(file_name, _NAME_BYTES).hex()}"

    def state(self) -> bytes:
        """Return what a later reader needs to read on."""
        return _state_encoder.encode(_ReadingState(session=self._session))

    def records_of(self, element: Element) -> Iterator[SourceRecord]:
        """Yield the records of an object: of a conversation its nodes and its head, of any other
        the one that it is.
        """
        fields = None if element.raw is None else fields_of(element.raw)
        if fields is None:
            reason = f"no JSON object, or one of more than {OBJECT_PARTS_MAX} fields"
            yield self._unread(element, element.reason or reason)
            return
        if _TREE not in fields:
            yield self._unread(element, "")
            return
        tree = _tree_of(fields[_TREE])
        if tree is None:
            reason = f"a conversation without a tree, or with more than {OBJECT_PARTS_MAX} nodes"
            yield self._unread(element, reason)
            return
        self._session = _session_of(fields, tree)
        names = [_name_of(key) for key in tree]
        nodes = [_linked(name, raw) for name, raw in zip(names, tree.values(), strict=True)]
        arrangement = arranged(nodes, _name_of(text_of(_value(fields.get("current_node")))))
        at = instant_of(_value(fields.get("create_time")))
        raws = list(tree.values())
        for place in arrangement.order:
            at = nodes[place].at or at
            yield self._node(names[place], raws[place], at)
        path = [names[place] for place in arrangement.path]
        yield self._head(fields, path, nodes)

    def _node(self, name: str, raw: msgspec.Raw, at: int | None) -> SourceRecord:
        line = record_from(raw)
        message = mapping_of((line.value or {}).get("message"))
        author = mapping_of(message.get("author"))
        said = (author.get("role"), author.get("name"), message.get("recipient"))
        label = f"node/{text_of(author.get('role'))}" if message else "node"
        return self._record(
            line,
            uuid=name,
            label=label[:_LABEL_CODE_POINTS_MAX],
            at=at,
            disposition="parsed" if message else "skipped",
            said=(*said, message.get("content")),
            size=len(bytes(raw)),
        )

    def _head(
        self, fields: dict[str, msgspec.Raw], path: Sequence[str], nodes: Sequence[TreeNode]
    ) -> SourceRecord:
        newest = max((node.at for node in nodes if node.at is not None), default=None)
        head: dict[str, object] = {key: raw for key, raw in fields.items() if key != _TREE}
        head |= {PATH: path, NEWEST: newest, NODES: len(nodes)}
        line = record_from(_encoder.encode(head))
        value = line.value or {}
        updated = instant_of(value.get("update_time"))
        return self._record(
            line,
            uuid=self._session,
            label=HEAD,
            at=updated or newest or instant_of(value.get("create_time")),
            disposition="parsed",
            said=(HEAD, value.get("title"), updated, path, value.get("is_archived")),
            size=0,
        )

    def _record(
        self,
        line: SourceLine,
        *,
        uuid: str,
        label: str,
        at: int | None,
        disposition: Literal["parsed", "skipped"],
        said: object,
        size: int,
    ) -> SourceRecord:
        is_good = line.value is not None
        return SourceRecord(
            source_session_id=self._session,
            position=0,
            uuid=uuid,
            type=label if is_good else "bad",
            at=at,
            disposition=disposition if is_good else "bad",
            record=line.record,
            content=_sorted_encoder.encode(said) if is_good else line.record,
            size=size,
            reason=line.reason,
            blobs=line.blobs,
        )

    def _unread(self, element: Element, reason: str) -> SourceRecord:
        """Return the record of an object that is no conversation; with a reason it is bad."""
        raw = element.raw if element.raw and len(element.raw) <= LINE_BYTES_MAX else b""
        record = settled_text(raw)
        return SourceRecord(
            source_session_id=self._session,
            position=0,
            type="bad" if reason else "unknown",
            at=None,
            disposition="bad" if reason else "skipped",
            record=record,
            content=record or reason.encode(),
            size=element.size,
            reason=reason,
        )


def _tree_of(raw: msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """Return the nodes of a conversation by key; None where there is no tree."""
    return {} if bytes(raw) == b"null" else fields_of(raw)


def _session_of(fields: dict[str, msgspec.Raw], tree: dict[str, msgspec.Raw]) -> str:
    """Return the id of a conversation; of one without, what stands for the root of its tree."""
    for key in ("conversation_id", "id"):
        session = identifier_of(_value(fields.get(key)))
        if session is not None:
            return session
    return f"tree-{stand_in(next(iter(tree), ''), _NAME_BYTES).hex()}"


def _name_of(key: str) -> str:
    """Return the name of a node: its key, where that can be one."""
    return identifier_of(key) or (f"node-{stand_in(key, _NAME_BYTES).hex()}" if key else "")


def _linked(name: str, raw: msgspec.Raw) -> TreeNode:
    try:
        links = _link_decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        links = _Linked()  # it is kept as it is, and hangs on nothing
    return TreeNode(
        name=name,
        parent=_name_of(text_of(links.parent)),
        children=tuple(_name_of(text_of(child)) for child in list_of(links.children)),
        at=instant_of(links.message.create_time) if links.message else None,
    )


def _value(raw: msgspec.Raw | None) -> object:
    """Return the value of a raw part, None where it has none."""
    if raw is None:
        return None
    try:
        return cast("object", msgspec.json.decode(raw))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
