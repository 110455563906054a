"""The application: every address there is, behind the door."""

from typing import Final

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from recense.servers.http.answers import problem_answer
from recense.servers.http.browsing import browsing_handlers
from recense.servers.http.door import Door
from recense.servers.http.following import changes_handler
from recense.servers.http.health import health_handlers
from recense.servers.http.hubs import Hubs
from recense.servers.http.mcp_mount import mcp_application, mcp_handler
from recense.servers.http.openapi import schema_handlers
from recense.servers.http.operations import operation_handler
from recense.servers.http.parts import ServerParts
from recense.servers.http.uploading import import_handler

_NO_OTHER_BOUND: Final = None
"""Bodies are bounded where they are read."""


def application(parts: ServerParts, hubs: Hubs, version: str, *more: HTTPRouteHandler) -> ASGIApp:
    """Return the application of a server; ``more`` is what this one answers besides."""
    mcp = mcp_application(parts, version)
    return Door(
        Litestar(
            [
                operation_handler(parts),
                *browsing_handlers(parts),
                import_handler(parts),
                changes_handler(parts, hubs),
                mcp_handler(parts, mcp),
                *health_handlers(parts),
                *schema_handlers(version),
                *more,
            ],
            openapi_config=None,
            logging_config=None,
            request_max_body_size=_NO_OTHER_BOUND,
            exception_handlers={Exception: problem_answer},
            lifespan=[lambda _app: mcp.running()],
        ),
        parts,
    )
