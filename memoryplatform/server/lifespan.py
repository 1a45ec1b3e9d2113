"""The start and the end of the web process: check the database role, load the models, run the background writers."""

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from starlette.types import ASGIApp, Receive, Scope, Send

from memoryplatform.operations.running.held_leases import end_leases_left_behind
from providers import registry
from providers.tracing import start_tracing
from retrieval.access_counts import ACCESS_COUNTS
from retrieval.recall_log import RECALL_LOG
from tenants.roles import check_service_role
from tenants.transactions import let_go_of_connection

log = structlog.get_logger(__name__)
WRITERS = (ACCESS_COUNTS, RECALL_LOG)


class Lifespan:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
        else:
            await self.app(scope, receive, send)

    async def live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await sync_to_async(prepare_database)()
        except Exception as error:
            log.exception("server.refused_to_start")
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        start_configured_tracing()
        registry.load_in_background(registry.warm_up)
        for writer in WRITERS:
            writer.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for writer in WRITERS:
            await sync_to_async(writer.stop, thread_sensitive=False)()
        await send({"type": "lifespan.shutdown.complete"})


def start_configured_tracing() -> None:
    if settings.TRACING_URL:
        start_tracing(settings.TRACING_URL)


def prepare_database() -> None:
    """Check the role, end the leases of a killed process, and return the connection.

    This thread serves no request and would keep the connection for ever.
    """
    try:
        check_service_role()
        end_leases_left_behind()
    finally:
        let_go_of_connection()
