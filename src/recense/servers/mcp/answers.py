"""Answers and errors as a model is given them.

Law: what was recalled is structured, and a text in it stays within its JSON string; nothing of it
stands where an instruction may stand.
"""

import base64
from typing import Final, cast

import mcp_types as types
import msgspec

from recense.core.text.redact import redact
from recense.core.values import Value
from recense.errors import RecenseError
from recense.operations.materials import MaterialBytes
from recense.operations.schemas import JsonObject
from recense.servers.mcp.uris import material_uri

JSON_TYPE: Final = "application/json"
_FOR_MODELS: Final = types.Annotations(audience=["assistant"])


class ToldError(Value, kw_only=True):
    """An error as it leaves: for programs by ``code``, for people in words."""

    code: str
    message: str
    hint: str
    retryable: bool


class ErrorAnswer(Value, kw_only=True):
    """What stands in place of an answer."""

    error: ToldError


def told_error(error: RecenseError) -> ErrorAnswer:
    """Return an error as it leaves: no secret is in it, whatever the caller had sent."""
    return ErrorAnswer(
        error=ToldError(
            code=error.code,
            message=redact(error.message).text,
            hint=redact(error.hint).text,
            retryable=error.retryable,
        )
    )


def json_text(answer: Value) -> str:
    """Return an answer as JSON."""
    return msgspec.json.encode(answer).decode()


def tool_result(answer: Value) -> types.CallToolResult:
    """Return an answer as the result of a tool: structured, and the same as content, which is JSON;
    the bytes of a material are content of their kind instead.
    """
    structured = cast("JsonObject", msgspec.to_builtins(answer, str_keys=True))
    return types.CallToolResult(content=[_content(answer)], structured_content=structured)


def error_result(error: RecenseError) -> types.CallToolResult:
    """Return an error as the result of a tool, for a model to read and do better."""
    return types.CallToolResult(content=[_text(told_error(error))], is_error=True)


def _content(answer: Value) -> types.ContentBlock:
    if not isinstance(answer, MaterialBytes):
        return _text(answer)
    data = base64.b64encode(answer.data).decode()
    if answer.media_type.startswith("image/"):
        return types.ImageContent(data=data, mime_type=answer.media_type, annotations=_FOR_MODELS)
    blob = types.BlobResourceContents(
        uri=material_uri(answer.material.id), mime_type=answer.media_type, blob=data
    )
    return types.EmbeddedResource(resource=blob, annotations=_FOR_MODELS)


def _text(answer: Value) -> types.TextContent:
    return types.TextContent(text=json_text(answer), annotations=_FOR_MODELS)
