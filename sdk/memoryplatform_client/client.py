from typing import Self, TypeVar

import httpx

from memoryplatform_client.headers import check_key
from memoryplatform_client.plans import Plan
from memoryplatform_client.resources.account import AccountResource
from memoryplatform_client.resources.audit_events import AuditEvents
from memoryplatform_client.resources.background import Backgrounds
from memoryplatform_client.resources.banks import Banks
from memoryplatform_client.resources.directives import Directives
from memoryplatform_client.resources.documents import Documents
from memoryplatform_client.resources.entities import Entities
from memoryplatform_client.resources.episodes import Episodes
from memoryplatform_client.resources.erasures import Erasures
from memoryplatform_client.resources.feedback import Feedbacks
from memoryplatform_client.resources.memories import Memories
from memoryplatform_client.resources.mental_models import MentalModels
from memoryplatform_client.resources.messages import Messages
from memoryplatform_client.resources.observations import Observations
from memoryplatform_client.resources.operations import Operations
from memoryplatform_client.resources.opinions import Opinions
from memoryplatform_client.resources.quarantine import Quarantine
from memoryplatform_client.resources.recalls import Recalls
from memoryplatform_client.resources.relationships import Relationships
from memoryplatform_client.resources.retention_rules import RetentionRules
from memoryplatform_client.resources.tags import Tags
from memoryplatform_client.resources.transfer import Transfer
from memoryplatform_client.resources.verbs import Verbs
from memoryplatform_client.resources.webhooks import Webhooks
from memoryplatform_client.retries import RetryPolicy
from memoryplatform_client.routes import S_co
from memoryplatform_client.senders import AsyncSender, SyncSender

T = TypeVar("T")
VERSION = "0.1.0"
# Long enough for a reflect, and for a retain that waits for a language model.
DEFAULT_TIMEOUT = httpx.Timeout(120.0, connect=5.0)
DEFAULT_RETRY = RetryPolicy()


def api_root(base_url: str) -> str:
    return f"{base_url.rstrip('/')}/v1"


def build_headers(api_key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {check_key(api_key)}", "User-Agent": f"memoryplatform-client/{VERSION}"}


class Client(Verbs[S_co]):
    """Retain, recall and reflect are methods of the client; resources are its attributes."""

    def __init__(self, sender: S_co) -> None:
        super().__init__(sender)
        self.banks: Banks[S_co] = Banks(sender)
        self.memories: Memories[S_co] = Memories(sender)
        self.documents: Documents[S_co] = Documents(sender)
        self.messages: Messages[S_co] = Messages(sender)
        self.episodes: Episodes[S_co] = Episodes(sender)
        self.entities: Entities[S_co] = Entities(sender)
        self.relationships: Relationships[S_co] = Relationships(sender)
        self.tags: Tags[S_co] = Tags(sender)
        self.opinions: Opinions[S_co] = Opinions(sender)
        self.observations: Observations[S_co] = Observations(sender)
        self.background: Backgrounds[S_co] = Backgrounds(sender)
        self.retention_rules: RetentionRules[S_co] = RetentionRules(sender)
        self.quarantine: Quarantine[S_co] = Quarantine(sender)
        self.directives: Directives[S_co] = Directives(sender)
        self.mental_models: MentalModels[S_co] = MentalModels(sender)
        self.recalls: Recalls[S_co] = Recalls(sender)
        self.feedback: Feedbacks[S_co] = Feedbacks(sender)
        self.operations: Operations[S_co] = Operations(sender)
        self.webhooks: Webhooks[S_co] = Webhooks(sender)
        self.account: AccountResource[S_co] = AccountResource(sender)
        self.erasures: Erasures[S_co] = Erasures(sender)
        self.audit_events: AuditEvents[S_co] = AuditEvents(sender)
        self.transfer: Transfer[S_co] = Transfer(sender)

    def __repr__(self) -> str:
        """Leaves the API key out."""
        return f"{type(self).__name__}({self._sender.address!r})"


class MemoryClient(Client[SyncSender]):
    """The synchronous client. `transport` replaces the network, for example in a test."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float | httpx.Timeout = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        client = httpx.Client(
            base_url=api_root(base_url), headers=build_headers(api_key), timeout=timeout, transport=transport
        )
        super().__init__(SyncSender(client, retry))

    def run(self, plan: Plan[T]) -> T:
        """Carry out a plan of your own."""
        return self._sender.run(plan)

    def close(self) -> None:
        self._sender.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()


class AsyncMemoryClient(Client[AsyncSender]):
    """The asynchronous client: its methods are awaited, and its lists are read with `async for`."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float | httpx.Timeout = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        client = httpx.AsyncClient(
            base_url=api_root(base_url), headers=build_headers(api_key), timeout=timeout, transport=transport
        )
        super().__init__(AsyncSender(client, retry))

    async def run(self, plan: Plan[T]) -> T:
        return await self._sender.run(plan)

    async def close(self) -> None:
        await self._sender.client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self.close()
