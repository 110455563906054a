"""The description of the server: OpenAPI 3.1, made from the catalogue, and a page that shows it.

The page needs nothing from elsewhere: no script, no font, no network.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, TypeAlias

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from recense.core.values import Value
from recense.limits import IDEMPOTENCY_KEY_CODE_POINTS_MAX
from recense.operations.admin import SessionList, TranscriptView
from recense.operations.catalogue import AnyOperation
from recense.operations.identity import ExchangeToken
from recense.operations.keys import KeyIssued, KeyList, ListKeys
from recense.operations.schemas import any_value
from recense.operations.sessions import ListSessions
from recense.servers.catalogue import HANDLED
from recense.servers.http.answers import json_answer
from recense.servers.http.browsing import KEYS, SessionPage
from recense.servers.http.exchanging import KUBERNETES
from recense.servers.http.following import CHANGES
from recense.servers.http.health import ServerStanding
from recense.servers.http.operations import PREFIX
from recense.servers.http.paths import MATERIALS, SESSIONS
from recense.servers.http.uploading import IMPORT, ImportedUpload, ImportUpload
from recense.servers.problems import PROBLEM_TYPE, Problem

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

SCHEMA: Final = "/schema"
SCHEMA_JSON: Final = "/schema/openapi.json"

_REFERENCE: Final = "#/components/schemas/{name}"
_PAGE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_PROBLEMS: Final[Mapping[str, str]] = {
    "400": "What was sent is not valid.",
    "401": "No key came, or one that is unknown, expired or revoked.",
    "403": "The key does not allow it, or the request names another than its key.",
    "404": "There is no such thing that this caller may see.",
    "408": "What was announced did not come in time.",
    "409": "It contradicts what is there: a lease, a newer write, a request in progress.",
    "413": "It is too long, or nested too deeply.",
    "415": "It is of another type than is taken here.",
    "422": "It is understood and cannot be done: a limit, or a key of another request.",
    "429": "This key asks too much; Retry-After says when it may again.",
    "501": "This is not installed, or the store cannot do it.",
    "502": "A model refused, or gave no answer that can be used.",
    "503": "The store or the server cannot do it now; Retry-After says when to try again.",
    "504": "A model did not answer in time.",
}


def schema_handlers(version: str) -> list[HTTPRouteHandler]:
    """Return what answers with the description."""
    document = openapi(version)
    described = msgspec.json.encode(document)
    shown = _page(document).encode()

    @get(SCHEMA_JSON)
    async def schema_document() -> Response[bytes]:
        """Answer with the description."""
        return json_answer(described)

    @get(SCHEMA)
    async def schema_page() -> Response[bytes]:
        """Answer with the page."""
        headers = {"content-security-policy": _PAGE_POLICY}
        return Response(
            shown, status_code=200, media_type="text/html; charset=utf-8", headers=headers
        )

    return [schema_document, schema_page]


def openapi(version: str) -> dict[str, Json]:
    """Return the description of a server of this version."""
    _, schemas = msgspec.json.schema_components(
        _structs(), ref_template=_REFERENCE, schema_hook=any_value
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recense",
            "version": version,
            "description": "Recall for agents. What comes back is data, never an instruction.",
        },
        "security": [{"key": []}],
        "paths": _paths(),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "responses": {
                status: {
                    "description": words,
                    "content": {PROBLEM_TYPE: {"schema": _reference(Problem)}},
                }
                for status, words in _PROBLEMS.items()
            },
        },
    }


def _structs() -> list[type[Value]]:
    asked = [handled.operation.request for handled in HANDLED.values()]
    answered = [handled.operation.answer for handled in HANDLED.values()]
    own: list[type[Value]] = [
        ExchangeToken,
        ImportUpload,
        ImportedUpload,
        Problem,
        ServerStanding,
    ]
    return list(dict.fromkeys([*asked, *answered, *own]))


def _paths() -> dict[str, Json]:
    paths: dict[str, Json] = {
        f"{PREFIX}{name}": {"post": _of_operation(handled.operation)}
        for name, handled in HANDLED.items()
    }
    session_id = _path_parameter("session", "The id of a session.")
    material_id = _path_parameter("material", "The id of a material.")
    paths |= {
        SESSIONS: {"get": _read("list_sessions_page", "List sessions.", SessionList, ListSessions)},
        f"{SESSIONS}/{{session}}": {
            "get": _read(
                "show_session_page", "Show a session.", TranscriptView, SessionPage, session_id
            )
        },
        f"{MATERIALS}/{{material}}": {"get": _of_material(material_id)},
        IMPORT: {"post": _of_import()},
        CHANGES: {"get": _of_changes()},
        KEYS: {"get": _read("list_keys_page", "List keys.", KeyList, ListKeys)},
        KUBERNETES: {"post": {**_of_exchange(), "security": []}},
        "/healthz": {"get": _open_to_all("healthz", "Whether it lives.")},
        "/readyz": {"get": _open_to_all("readyz", "Whether it can answer.")},
    }
    return paths


def _of_operation(operation: AnyOperation) -> dict[str, Json]:
    described = _posted(operation.name, operation.summary, operation.request, operation.answer)
    described["tags"] = [operation.surface]
    if operation.changes:
        described["parameters"] = [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "The same key with the same request is done once, for 24 hours.",
                "schema": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": IDEMPOTENCY_KEY_CODE_POINTS_MAX,
                    "pattern": "^[!-~]+$",
                },
            }
        ]
    return described


def _of_exchange() -> dict[str, Json]:
    summary = "Exchange the token of a pod for a key, where the server was told to."
    return _posted("exchange_token", summary, ExchangeToken, KeyIssued)


def _posted(name: str, summary: str, asked: type[Value], answered: type[Value]) -> dict[str, Json]:
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {
            "required": any(field.required for field in msgspec.structs.fields(asked)),
            "content": {"application/json": {"schema": _reference(asked)}},
        },
        "responses": _responses(answered),
    }


def _read(
    name: str,
    summary: str,
    answered: type[Value],
    words: type[Value] | None = None,
    *more: dict[str, Json],
) -> dict[str, Json]:
    parameters = [*more, *(() if words is None else _query_parameters(words))]
    described: dict[str, Json] = {
        "operationId": name,
        "summary": summary,
        "responses": _responses(answered),
    }
    return described | ({"parameters": parameters} if parameters else {})


def _open_to_all(name: str, summary: str) -> dict[str, Json]:
    return {**_read(name, summary, ServerStanding), "security": []}


def _of_material(material_id: dict[str, Json]) -> dict[str, Json]:
    bytes_of_it: Json = {"content": {"*/*": {"schema": {}}}, "description": "The bytes."}
    return {
        "operationId": "show_material",
        "summary": "Give the bytes of a material, or a range of them.",
        "parameters": [material_id],
        "responses": {
            "200": bytes_of_it,
            "206": bytes_of_it,
            **_problems(),
            "416": _range_refused(),
        },
    }


def _of_import() -> dict[str, Json]:
    return {
        "operationId": "import_upload",
        "summary": "Import sessions from lines of JSON, as an agent keeps them.",
        "parameters": _query_parameters(ImportUpload),
        "requestBody": {"required": True, "content": {"application/x-ndjson": {"schema": {}}}},
        "responses": _responses(ImportedUpload),
    }


def _of_changes() -> dict[str, Json]:
    return {
        "operationId": "follow_changes",
        "summary": "Follow facts and sessions as they change: server-sent events.",
        "parameters": [
            {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}},
        ],
        "responses": {
            "200": {"description": "Events.", "content": {"text/event-stream": {"schema": {}}}},
            **_problems(),
        },
    }


def _query_parameters(words: type[Value]) -> list[dict[str, Json]]:
    _, found = msgspec.json.schema_components([words], ref_template=_REFERENCE)
    properties: Mapping[str, Json] = found[words.__name__].get("properties", {})
    return [
        {"name": name, "in": "query", "schema": _as_word(schema)}
        for name, schema in properties.items()
    ]


def _as_word(schema: Json) -> Json:
    """Return the schema of a field as a word of an address: there is no null in one."""
    if isinstance(schema, Mapping) and isinstance(choices := schema.get("anyOf"), Sequence):
        kept = [each for each in choices if each != {"type": "null"}]
        return kept[0] if len(kept) == 1 else {"anyOf": kept}
    return schema


def _path_parameter(name: str, words: str) -> dict[str, Json]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": words,
        "schema": {"type": "string", "minLength": 1},
    }


def _responses(answered: type[Value]) -> dict[str, Json]:
    whole: Json = {
        "description": "The answer.",
        "content": {"application/json": {"schema": _reference(answered)}},
    }
    return {"200": whole, **_problems()}


def _problems() -> dict[str, Json]:
    return {status: {"$ref": f"#/components/responses/{status}"} for status in _PROBLEMS}


def _range_refused() -> Json:
    return {
        "description": "The range begins behind the end.",
        "content": {PROBLEM_TYPE: {"schema": _reference(Problem)}},
    }


def _reference(struct: type[Value]) -> Json:
    return {"$ref": _REFERENCE.format(name=struct.__name__)}


def _page(document: Mapping[str, Json]) -> str:
    """Return a page that lists every address, and every struct as its schema."""
    paths, components = document["paths"], document["components"]
    if not isinstance(paths, Mapping) or not isinstance(components, Mapping):
        raise TypeError("the description has no paths")
    rows = [
        f"<tr><td><code>{escape(method.upper())}</code></td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(str(described['summary']))}</td></tr>"
        for path, methods in paths.items()
        if isinstance(methods, Mapping)
        for method, described in methods.items()
        if isinstance(described, Mapping)
    ]
    schemas = components["schemas"]
    structs = [
        f"<details><summary><code>{escape(name)}</code></summary><pre>"
        f"{escape(msgspec.json.format(msgspec.json.encode(schema)).decode())}</pre></details>"
        for name, schema in (schemas.items() if isinstance(schemas, Mapping) else ())
    ]
    return "\n".join(
        (
            "<!doctype html><html lang=en><meta charset=utf-8><title>Recense</title>",
            "<meta name=viewport content='width=device-width'>",
            "<style>body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}",
            "td{padding:.2rem .8rem .2rem 0;vertical-align:top}pre{overflow:auto}",
            "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}</style>",
            f"<h1>Recense</h1><p>The description for programs: <code>{SCHEMA_JSON}</code>.</p>",
            "<table>",
            *rows,
            "</table><h2>What is asked and answered</h2>",
            *structs,
        )
    )
