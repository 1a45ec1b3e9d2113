"""What happens when the web process starts: the wall is checked, then the models are loaded."""

import structlog
from asgiref.sync import sync_to_async

from memoryplatform.server.body_limit import App, Message, Receive, Send
from memoryplatform.server.warm_up import warm_up_in_background
from providers import registry
from tenants.wall_check import check_service_role

log = structlog.get_logger(__name__)


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
            await sync_to_async(check_service_role)()
        except Exception as error:
            log.exception("server.refused_to_start")
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        warm_up_in_background(registry.warm_up)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
