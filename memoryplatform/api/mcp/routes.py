"""`/mcp` and what lies below goes to MCP, which runs as long as the process serves; the rest goes to the others."""

from memoryplatform.api.mcp.application import McpApplication
from memoryplatform.server.body_limit import App, BodyLimit, Message, Receive, Send
from memoryplatform.server.cors import Cors


class McpRoutes:
    def __init__(self, others: App, *, max_bytes: int) -> None:
        self.others = others
        self.mcp = McpApplication()
        self._limited_mcp = Cors(BodyLimit(self.mcp, max_bytes=max_bytes))

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with self.mcp.run():
                await self.others(scope, receive, send)
        elif scope["type"] == "http" and is_mcp(scope):
            await self._limited_mcp(scope, receive, send)
        else:
            await self.others(scope, receive, send)


def is_mcp(scope: Message) -> bool:
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path == "/mcp" or path.startswith("/mcp/")
