"""A tenant's own language models: show, save after a test call, remove; and the model that serves a tenant's task.

The tenant chooses an address that our machines call. So each connection goes to an address that was checked just
before (server-side request forgery, DNS rebinding), redirects are not followed, and an answer has a size limit.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from uuid import UUID

import httpx2
from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid, LLMCheckFailed, OwnLLMNotFound
from memoryplatform.operations.logged_llm import log_requests
from memoryplatform.operations.notify.address import AddressRefused, check_url, resolve
from providers import registry
from providers.endpoint.limits import EndpointConfig
from providers.llm.chat_request import Sampling
from providers.llm.errors import LLMError, LLMRefused
from providers.llm.fallback import FallbackLLM
from providers.llm.protocol import LLM, ChatMessage, Task
from tenants.models import OwnLLM, Quota, Tenant
from tenants.quotas import check_room
from tenants.sealed_text import SealedText
from tenants.transactions import tenant_transaction

ALL = OwnLLM.Task.ALL
MOST_BYTES = 16 * 1024 * 1024  # of an answer
LOOK_UP_SECONDS = 5.0
CHECK_SECONDS = 30.0
KNOWN_SECONDS = 5.0  # how long a process may use a setting that another has changed
MOST_KNOWN = 10_000
LONGEST_KEY = 1_000
LONGEST_SECONDS = 600.0
SHOWN_CHARACTERS = 4
LEAST_SECRET = 12  # of a shorter key nothing is shown
CAN_NOT_OPEN = "The key of the tenant's own LLM can't be decrypted any more. Save the LLM again."


@dataclass(frozen=True)
class LLMChoice:
    """`api_key` None keeps the stored key, for the same address only. Empty: the endpoint has none."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    reasoning_effort: str = ""
    temperature: float | None = None
    timeout_seconds: float | None = None


class Ready(BaseModel):
    """The answer to the test call. Extraction needs structured answers, so the call asks for one."""

    ready: bool


def get_own_llm(access: TenantAccess, task: str = ALL) -> OwnLLM:
    found = next((one for one in list_own_llms(access) if one.task == task), None)
    if found is None:
        raise OwnLLMNotFound
    return found


def list_own_llms(access: TenantAccess) -> list[OwnLLM]:
    access.require(Right.MANAGE)
    return read_own_llms(access.tenant_id)


def read_own_llms(tenant_id: UUID) -> list[OwnLLM]:
    with tenant_transaction(tenant_id):
        return list(OwnLLM.objects.for_tenant(tenant_id).order_by("task"))


def save_own_llm(access: TenantAccess, choice: LLMChoice, task: str = ALL) -> OwnLLM:
    """Stores it only if it answers a test call. No transaction is open during the call."""
    access.require(Right.MANAGE)
    check_choice(choice)
    api_key = choice.api_key if choice.api_key is not None else read_stored_key(access.tenant_id, choice, task)
    check_answers(choice, api_key)
    values = {
        "base_url": choice.base_url,
        "model": choice.model,
        "api_key": api_key,
        "key_ending": api_key[-SHOWN_CHARACTERS:] if len(api_key) >= LEAST_SECRET else "",
        "reasoning_effort": choice.reasoning_effort,
        "temperature": choice.temperature,
        "timeout_seconds": choice.timeout_seconds,
        "changed_by_id": access.actor.user_id,
        "checked_at": timezone.now(),
    }
    with tenant_transaction(access.tenant_id):
        rows = OwnLLM.objects.for_tenant(access.tenant_id)
        saved, _ = rows.update_or_create(task=task, tenant_id=access.tenant_id, defaults=values)
        access.record("own_llm.saved", f"own_llm:{task}", {"base_url": saved.base_url, "model": saved.model})
    forget(access.tenant_id)
    return saved


def delete_own_llm(access: TenantAccess, task: str = ALL) -> None:
    """From then on the tenant's model for all tasks serves, or the service's, or the built-in engine."""
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        count, _ = OwnLLM.objects.for_tenant(access.tenant_id).filter(task=task).delete()
        if not count:
            raise OwnLLMNotFound
        access.record("own_llm.deleted", f"own_llm:{task}")
    forget(access.tenant_id)


def check_choice(choice: LLMChoice) -> None:
    faults = {}
    if not choice.model.strip() or not choice.model.isprintable():
        faults["model"] = "Name the model."
    if len(choice.api_key or "") > LONGEST_KEY or not (choice.api_key or "").isascii():
        faults["api_key"] = f"A key has at most {LONGEST_KEY} ASCII characters."
    if not choice.reasoning_effort.isalnum() and choice.reasoning_effort:
        faults["reasoning_effort"] = "Give one word, such as low."
    try:
        find_addresses(httpx2.URL(choice.base_url))
    except (AddressRefused, TimeoutError, httpx2.InvalidURL) as error:
        faults["base_url"] = str(error) or "The name server took too long."
    if faults:
        raise AccountInvalid(faults)


def read_stored_key(tenant_id: UUID, choice: LLMChoice, task: str) -> str:
    """The stored key goes to no other address: otherwise an admin could send it to a server of their own."""
    stored = {one.task: one for one in read_own_llms(tenant_id) if one.base_url == choice.base_url}
    found = stored.get(task) or stored.get(ALL) or next(iter(stored.values()), None)
    if found is None or isinstance(found.api_key, SealedText):
        raise AccountInvalid({"api_key": "Give the key. It is kept only for an unchanged base URL."})
    return str(found.api_key)


def check_answers(choice: LLMChoice, api_key: str) -> None:
    llm = build_llm(replace(choice, api_key=api_key, timeout_seconds=None), retries=0)
    question = ChatMessage("user", 'Answer with the JSON object {"ready": true} and nothing else.')
    try:
        llm.complete_as(Ready, [question], timeout=CHECK_SECONDS)
    except LLMError as error:
        detail = f" {error.detail}" if isinstance(error, LLMRefused) and error.detail else ""
        raise LLMCheckFailed(f"The endpoint did not pass the test call. {error}{detail}") from None


def find_llm(tenant_id: UUID, task: Task, *, bank_id: str | None = None) -> LLM | None:
    """The tenant's own model for the task or for all, else the service's. None without any: the built-in engine serves.

    A tenant that has a model for another task only, where the service has none, is served by that one. If the tenant
    wants a log of its requests, the model writes it, under `bank_id` or else the bank of the operation.
    """
    known = KNOWN.find(tenant_id)
    llm = choose_llm(known.own, task)
    return log_requests(llm, tenant_id, task, bank_id) if llm is not None and known.is_logged else llm


def choose_llm(own: Mapping[str, LLM], task: Task) -> LLM | None:
    return own.get(task) or own.get(ALL) or registry.find_llm(task) or next(iter(own.values()), None)


def check_tokens(tenant_id: UUID, task: Task) -> None:
    """Raises QuotaExceeded once the month's tokens of the service's model are used up. An own model has no quota."""
    llm = choose_llm(KNOWN.find(tenant_id).own, task)
    if llm is not None and llm.service == "llm":
        check_room(tenant_id, Quota.LLM_TOKENS)


def forget(tenant_id: UUID) -> None:
    KNOWN.forget(tenant_id)


@dataclass(frozen=True)
class TenantLLMs:
    """A tenant's own models by task, and whether its requests are logged."""

    own: Mapping[str, LLM]
    is_logged: bool


class KnownLLMs:
    """The settings of tenants, read again after some seconds: a recall need not ask the database each time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[UUID, tuple[float, TenantLLMs]] = {}

    def find(self, tenant_id: UUID) -> TenantLLMs:
        known = self._known.get(tenant_id)
        if known is not None and time.monotonic() < known[0]:
            return known[1]
        llms = load_llms(tenant_id)
        with self._lock:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[tenant_id] = time.monotonic() + KNOWN_SECONDS, llms
        return llms

    def forget(self, tenant_id: UUID) -> None:
        self._known.pop(tenant_id, None)


KNOWN = KnownLLMs()


def load_llms(tenant_id: UUID) -> TenantLLMs:
    """With a fallback, each of the own models has it as its second one."""
    with tenant_transaction(tenant_id):
        stored = list(OwnLLM.objects.for_tenant(tenant_id))
        is_logged = Tenant.objects.filter(id=tenant_id, llm_log_days__gt=0).exists()
    choices = {one.task: read_choice(one) for one in stored}
    second = choices.pop(OwnLLM.Task.FALLBACK, None)
    own = {task: build_kept_llm(choice, second) for task, choice in choices.items()}
    return TenantLLMs(own, is_logged)


def read_choice(stored: OwnLLM) -> LLMChoice:
    if isinstance(stored.api_key, SealedText):
        raise LLMRefused(CAN_NOT_OPEN)
    return LLMChoice(
        stored.base_url,
        stored.model,
        stored.api_key,
        stored.reasoning_effort,
        stored.temperature,
        stored.timeout_seconds,
    )


@lru_cache(maxsize=256)
def build_kept_llm(choice: LLMChoice, second: LLMChoice | None = None) -> LLM:
    """Keeps the connections of an endpoint, and what was learnt about its dialect."""
    llm = build_llm(choice, retries=settings.LLM_MAX_RETRIES)
    return llm if second is None else FallbackLLM(llm, build_kept_llm(second))


def build_llm(choice: LLMChoice, *, retries: int) -> LLM:
    from providers.llm.openai import OpenAILLM  # loads for a second, and most processes never need it

    config = EndpointConfig(
        base_url=choice.base_url,
        api_key=choice.api_key or None,
        timeout_seconds=choice.timeout_seconds or settings.LLM_TIMEOUT_SECONDS,
        max_retries=retries,
        max_concurrency=settings.LLM_MAX_CONCURRENCY,
        transport=CheckedTransport(trust_env=False),
    )
    sampling = Sampling(choice.reasoning_effort or None, choice.temperature)
    return OpenAILLM(config, model=choice.model, service="own_llm", sampling=sampling)


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
