"""Builders of ChatGPT conversations. People and words are invented."""

import json
from collections.abc import Iterable, Mapping

from recense.importers.chatgpt import ChatGpt
from recense.importers.lines import list_of, mapping_of
from recense.ports.sources import Importer

CHATGPT: Importer = ChatGpt()

START = 1_700_000_000.25


def node(
    name: str,
    parent: str | None,
    role: str = "user",
    text: str = "",
    **fields: object,
) -> dict[str, object]:
    """Return a node with a message; ``fields`` replace those of the message."""
    message: dict[str, object] = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": START + len(name),
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
    }
    return {"id": name, "message": message | fields, "parent": parent, "children": []}


def root(name: str = "root") -> dict[str, object]:
    """Return the node at the root of a tree, which has no message."""
    return {"id": name, "message": None, "parent": None, "children": []}


def said(role: str, content: object, **fields: object) -> dict[str, object]:
    """Return a node ``n`` below ``call`` that says a content."""
    made = node("n", "call", role)
    return made | {"message": mapping_of(made["message"]) | {"content": content} | fields}


def conversation(
    nodes: Iterable[Mapping[str, object]],
    current: str | None,
    *,
    updated: object = START + 100,
    session: str = "c-1",
    **fields: object,
) -> dict[str, object]:
    """Return a conversation; the children of its nodes follow from their parents."""
    tree = {str(each["id"]): dict(each) for each in nodes}
    for name, each in tree.items():
        parent = tree.get(str(each["parent"]))
        if parent is not None:
            parent["children"] = [*list_of(parent["children"]), name]
    made: dict[str, object] = {
        "title": "Ferns",
        "create_time": START,
        "update_time": updated,
        "mapping": tree,
        "moderation_results": [],
        "current_node": current,
        "conversation_id": session,
        "is_archived": False,
        "id": session,
    }
    return made | fields


def nodes_of(made: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the nodes of a conversation, without what follows from others."""
    return [mapping_of(each) | {"children": []} for each in mapping_of(made["mapping"]).values()]


def export(*conversations: object, indent: int | None = None) -> bytes:
    """Return the bytes of an export: escaped, as the service writes it."""
    return json.dumps(list(conversations), indent=indent).encode()


FIRST = [
    root(),
    node("u1", "root", "user", "where do ferns grow"),
    node("a1", "u1", "assistant", "in damp shade"),
]
ORCHIDS = [node("u2", "a1", "user", "and orchids"), node("a2", "u2", "assistant", "on mountains")]
MOSSES = [node("u3", "a1", "user", "and mosses"), node("a3", "u3", "assistant", "upon granite")]

OLDER = conversation([*FIRST, *ORCHIDS], "a2", updated=START + 10)
"""A conversation as an older export has it."""

NEWER = conversation([*FIRST, *ORCHIDS, *MOSSES], "a3", updated=START + 20)
"""The same after its second prompt was edited."""

BACK = conversation(
    [
        *FIRST,
        *ORCHIDS,
        *MOSSES,
        node("u4", "a2", "user", "thanks"),
        node("a4", "u4", "assistant", "welcome"),
    ],
    "a4",
    updated=START + 30,
)
"""The same after the person went back to the first branch, and on."""
