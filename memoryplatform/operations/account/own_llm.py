"""A tenant's own language model: show, save after a test call, remove; and the model that serves a tenant.

The tenant chooses an address that our machines call. So each connection goes to an address that was checked just
before (server-side request forgery, DNS rebinding), redirects are not followed, and an answer has a size limit.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

import httpx2
from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid, LLMCheckFailed, OwnLLMNotFound
from memoryplatform.operations.notify.address import AddressRefused, check_url, resolve
from providers import registry
from providers.endpoint.limits import EndpointConfig
from providers.llm.errors import LLMError, LLMRefused
from providers.llm.protocol import LLM, ChatMessage
from tenants.models import OwnLLM, Quota
from tenants.quotas import check_room
from tenants.sealed_text import SealedText
from tenants.transactions import tenant_transaction

MOST_BYTES = 16 * 1024 * 1024  # of an answer
LOOK_UP_SECONDS = 5.0
CHECK_SECONDS = 30.0
KNOWN_SECONDS = 5.0  # how long a process may use a setting that another has changed
MOST_KNOWN = 10_000
LONGEST_KEY = 1_000
SHOWN_CHARACTERS = 4
LEAST_SECRET = 12  # of a shorter key nothing is shown
CAN_NOT_OPEN = "The key of the tenant's own LLM can't be decrypted any more. Save the LLM again."


@dataclass(frozen=True)
class LLMChoice:
    """`api_key` None keeps the stored key, for the same address only. Empty: the endpoint has none."""

    base_url: str
    model: str
    api_key: str | None = None


class Ready(BaseModel):
    """The answer to the test call. Extraction needs structured answers, so the call asks for one."""

    ready: bool


def get_own_llm(access: TenantAccess) -> OwnLLM:
    found = find_own_llm(access)
    if found is None:
        raise OwnLLMNotFound
    return found


def find_own_llm(access: TenantAccess) -> OwnLLM | None:
    access.require(Right.MANAGE)
    return read_own_llm(access.tenant_id)


def read_own_llm(tenant_id: UUID) -> OwnLLM | None:
    with tenant_transaction(tenant_id):
        return OwnLLM.objects.for_tenant(tenant_id).filter(task=OwnLLM.Task.ALL).first()


def save_own_llm(access: TenantAccess, choice: LLMChoice) -> OwnLLM:
    """Stores it only if it answers a test call. No transaction is open during the call."""
    access.require(Right.MANAGE)
    check_choice(choice)
    api_key = choice.api_key if choice.api_key is not None else read_stored_key(access.tenant_id, choice)
    check_answers(choice, api_key)
    values = {
        "base_url": choice.base_url,
        "model": choice.model,
        "api_key": api_key,
        "key_ending": api_key[-SHOWN_CHARACTERS:] if len(api_key) >= LEAST_SECRET else "",
        "changed_by_id": access.actor.user_id,
        "checked_at": timezone.now(),
    }
    with tenant_transaction(access.tenant_id):
        rows = OwnLLM.objects.for_tenant(access.tenant_id)
        saved, _ = rows.update_or_create(task=OwnLLM.Task.ALL, tenant_id=access.tenant_id, defaults=values)
        access.record("own_llm.saved", "own_llm:all", {"base_url": saved.base_url, "model": saved.model})
    forget(access.tenant_id)
    return saved


def delete_own_llm(access: TenantAccess) -> None:
    """From then on the service's own model serves the tenant, or the built-in engine."""
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        count, _ = OwnLLM.objects.for_tenant(access.tenant_id).filter(task=OwnLLM.Task.ALL).delete()
        if not count:
            raise OwnLLMNotFound
        access.record("own_llm.deleted", "own_llm:all")
    forget(access.tenant_id)


def check_choice(choice: LLMChoice) -> None:
    faults = {}
    if not choice.model.strip() or not choice.model.isprintable():
        faults["model"] = "Name the model."
    if len(choice.api_key or "") > LONGEST_KEY or not (choice.api_key or "").isascii():
        faults["api_key"] = f"A key has at most {LONGEST_KEY} ASCII characters."
    try:
        find_addresses(httpx2.URL(choice.base_url))
    except (AddressRefused, TimeoutError, httpx2.InvalidURL) as error:
        faults["base_url"] = str(error) or "The name server took too long."
    if faults:
        raise AccountInvalid(faults)


def read_stored_key(tenant_id: UUID, choice: LLMChoice) -> str:
    """The stored key goes to no other address: otherwise an admin could send it to a server of their own."""
    stored = read_own_llm(tenant_id)
    if stored is None or stored.base_url != choice.base_url or isinstance(stored.api_key, SealedText):
        raise AccountInvalid({"api_key": "Give the key. It is kept only for an unchanged base URL."})
    return str(stored.api_key)


def check_answers(choice: LLMChoice, api_key: str) -> None:
    llm = build_llm(choice.base_url, choice.model, api_key, retries=0)
    question = ChatMessage("user", 'Answer with the JSON object {"ready": true} and nothing else.')
    try:
        llm.complete_as(Ready, [question], timeout=CHECK_SECONDS)
    except LLMError as error:
        detail = f" {error.detail}" if isinstance(error, LLMRefused) and error.detail else ""
        raise LLMCheckFailed(f"The endpoint did not pass the test call. {error}{detail}") from None


def find_llm(tenant_id: UUID) -> LLM | None:
    """The tenant's own model, else the service's. None without either: the built-in engine serves."""
    own = KNOWN.find(tenant_id)
    return own if own is not None else registry.find_llm()


def check_tokens(tenant_id: UUID) -> None:
    """Raises QuotaExceeded once the month's tokens of the service's model are used up. The own model has no quota."""
    if KNOWN.find(tenant_id) is None and registry.find_llm() is not None:
        check_room(tenant_id, Quota.LLM_TOKENS)


def forget(tenant_id: UUID) -> None:
    KNOWN.forget(tenant_id)


class KnownLLMs:
    """The own models of tenants, read again after some seconds: a recall need not ask the database each time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[UUID, tuple[float, LLM | None]] = {}

    def find(self, tenant_id: UUID) -> LLM | None:
        known = self._known.get(tenant_id)
        if known is not None and time.monotonic() < known[0]:
            return known[1]
        llm = load_own_llm(tenant_id)
        with self._lock:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[tenant_id] = time.monotonic() + KNOWN_SECONDS, llm
        return llm

    def forget(self, tenant_id: UUID) -> None:
        self._known.pop(tenant_id, None)


KNOWN = KnownLLMs()


def load_own_llm(tenant_id: UUID) -> LLM | None:
    stored = read_own_llm(tenant_id)
    if stored is None:
        return None
    if isinstance(stored.api_key, SealedText):
        raise LLMRefused(CAN_NOT_OPEN)
    return build_kept_llm(stored.base_url, stored.model, stored.api_key)


@lru_cache(maxsize=256)
def build_kept_llm(base_url: str, model: str, api_key: str) -> LLM:
    """Keeps the connections of an endpoint, and what was learnt about its dialect."""
    return build_llm(base_url, model, api_key, retries=settings.LLM_MAX_RETRIES)


def build_llm(base_url: str, model: str, api_key: str, *, retries: int) -> LLM:
    from providers.llm.openai import OpenAILLM  # loads for a second, and most processes never need it

    config = EndpointConfig(
        base_url=base_url,
        api_key=api_key or None,
        timeout_seconds=settings.LLM_TIMEOUT_SECONDS,
        max_retries=retries,
        max_concurrency=settings.LLM_MAX_CONCURRENCY,
        transport=CheckedTransport(trust_env=False),
    )
    return OpenAILLM(config, model=model, service="own_llm")


class CheckedTransport(httpx2.HTTPTransport):
    """Connects to the address that was checked. Host header and certificate stay those of the URL."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        try:
            addresses = find_addresses(url)
        except (AddressRefused, TimeoutError) as error:
            raise httpx2.ConnectError(str(error), request=request) from None
        request.extensions["sni_hostname"] = url.host
        request.headers["Accept-Encoding"] = "identity"
        for address in addresses:
            request.url = url.copy_with(host=address)
            try:
                return limit_answer(super().handle_request(request))
            except httpx2.ConnectError:
                if address == addresses[-1]:
                    raise
        raise httpx2.ConnectError("The host has no address.", request=request)


def find_addresses(url: httpx2.URL) -> list[str]:
    """Raises AddressRefused, or TimeoutError if the name server takes too long."""
    allow_private = settings.OWN_LLM_PRIVATE_ADDRESSES
    check_url(str(url), allow_private=allow_private)
    if url.scheme != "https" and not allow_private:
        raise AddressRefused("The URL must begin with https://: the key travels with each call.")
    port = url.port or (443 if url.scheme == "https" else 80)
    return resolve(url.host, port, allow_private=allow_private, within=LOOK_UP_SECONDS)


def limit_answer(response: httpx2.Response) -> httpx2.Response:
    """A compressed answer is refused: a few bytes of it could fill the memory."""
    if response.headers.get("Content-Encoding", "identity") != "identity":
        response.close()
        raise httpx2.RemoteProtocolError("The answer is compressed.")
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = LimitedStream(response.stream)
    return response


class LimitedStream(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        left = MOST_BYTES
        for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise httpx2.RemoteProtocolError("The answer is too long.")
            yield piece

    def close(self) -> None:
        self._stream.close()
