"""Who calls, and which bank the address names."""

from dataclasses import dataclass
from functools import cached_property
from threading import Event

from memoryplatform.operations.access import BankAccess
from tenants.audit import Actor
from tenants.keys import KeyIdentity


@dataclass(frozen=True)
class Caller:
    """`bank_id` is the one of `/mcp/{bank_id}/`; None at `/mcp/`, where each call names its own."""

    identity: KeyIdentity
    request_id: str
    bank_id: str | None = None

    @cached_property
    def access(self) -> BankAccess:
        actor = Actor(api_key_prefix=self.identity.prefix, request_id=self.request_id)
        return BankAccess(self.identity.tenant_id, banks=self.identity.banks, actor=actor)


@dataclass(frozen=True)
class Call:
    """One tool call, in its thread. `hung_up` is set when nobody waits for the answer any more."""

    caller: Caller
    bank_id: str
    hung_up: Event

    @property
    def access(self) -> BankAccess:
        return self.caller.access
