"""What happens when the web process starts and ends: the wall is checked, models are loaded, background writers run."""

import structlog
from asgiref.sync import sync_to_async

from memoryplatform.server.body_limit import App, Message, Receive, Send
from memoryplatform.server.warm_up import warm_up_in_background
from providers import registry
from retrieval.log.access_counts import ACCESS_COUNTS
from retrieval.log.recalls import RECALL_LOG
from tenants.transactions import let_go_of_connection
from tenants.wall_check import check_service_role

log = structlog.get_logger(__name__)
WRITERS = (ACCESS_COUNTS, RECALL_LOG)


class Lifespan:
    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
        else:
            await self.app(scope, receive, send)

    async def live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await sync_to_async(check_wall)()
        except Exception as error:
            log.exception("server.refused_to_start")
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        warm_up_in_background(registry.warm_up)
        for writer in WRITERS:
            writer.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for writer in WRITERS:
            await sync_to_async(writer.stop, thread_sensitive=False)()
        await send({"type": "lifespan.shutdown.complete"})


def check_wall() -> None:
    """Requests are served by other threads: what this one kept of the pool would be missing there for ever."""
    try:
        check_service_role()
    finally:
        let_go_of_connection()
