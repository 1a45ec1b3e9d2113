from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from memoryplatform_client.models.base import Model


class Account(Model):
    """The tenant of the API key."""

    tenant_id: UUID
    slug: str
    name: str
    created_at: datetime


class AccountDeletion(Model):
    """Rows that are erased, by table. The times are None unless the deletion is requested."""

    counts: dict[str, int]
    banks: list[str]
    requested_at: datetime | None
    requested_by: UUID | None
    due_at: datetime | None


class Member(Model):
    user_id: UUID
    email: str
    name: str
    role: str
    since: datetime


class MemberList(Model):
    members: list[Member]


class Invitation(Model):
    invitation_id: UUID
    email: str
    role: str
    created_at: datetime
    expires_at: datetime


class InvitationList(Model):
    invitations: list[Invitation]


class ApiKey(Model):
    """`banks`: None for every bank. `replaced_by` is the id of the key that a rotation made."""

    key_id: UUID
    name: str
    prefix: str
    scopes: list[str]
    banks: list[str] | None
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    replaced_by: UUID | None
    last_used_at: datetime | None
    last_used_address: str | None
    last_used_agent: str


class ListedApiKey(ApiKey):
    """`maker_left`: the person who made the key is no longer a member."""

    maker_left: bool


class ApiKeyList(Model):
    keys: list[ListedApiKey]


class NewApiKey(Model):
    """`text` is the key itself. It is shown only this once."""

    key: ApiKey
    text: str


class UsageAmounts(Model):
    requests: int
    calls: int
    llm_input_tokens: int
    llm_output_tokens: int
    own_llm_tokens: int
    embedding_tokens: int
    reranking_tokens: int
    memories: int
    stored_bytes: int
    cost: Decimal


class UsageRow(UsageAmounts):
    """The fields that the report is not grouped by are None."""

    day: date | None = None
    bank: str | None = None
    key: str | None = None
    kind: str | None = None
    model: str | None = None


class StoredDay(Model):
    """Facts and bytes at the end of a day on which they changed."""

    day: date
    memories: int
    stored_bytes: int


class UsageReport(Model):
    """The cost leaves out the `unpriced_models`."""

    since: date
    until: date
    currency: str
    rows: list[UsageRow]
    total: UsageAmounts
    unpriced_models: list[str]
    storage: list[StoredDay]


class QuotaUse(Model):
    """`limit` None: no limit."""

    quota: str
    limit: int | None
    used: int
    percent: int | None


class Plan(Model):
    plan: str
    requests_per_minute: int | None
    quotas: list[QuotaUse]


class ConnectedApp(Model):
    """An app that acts for a person by OAuth. `banks`: None for every bank."""

    app_id: UUID
    name: str
    prefix: str
    user_id: UUID
    email: str
    scopes: list[str]
    banks: list[str] | None
    created_at: datetime
    last_used_at: datetime | None
    last_used_address: str | None
    last_used_agent: str


class OwnLLM(Model):
    """One of the tenant's own language models. `key_ending` is all that is shown of its key."""

    task: str
    base_url: str
    model: str
    key_ending: str
    reasoning_effort: str
    temperature: float | None
    timeout_seconds: float | None
    checked_at: datetime


class OwnLLMList(Model):
    llms: list[OwnLLM]


class ConnectedAppList(Model):
    apps: list[ConnectedApp]


class LLMLog(Model):
    """`days` that a request is kept. 0: the log is off."""

    days: int


class LLMRequest(Model):
    """A request to a language model. `cost` is at the price of that time, and None without a price."""

    llm_request_id: UUID
    created_at: datetime
    task: str
    service: str
    model: str
    bank_id: str
    operation_id: UUID | None
    outcome: str
    milliseconds: int
    input_tokens: int
    output_tokens: int
    calls: int
    estimated: bool
    cost: Decimal | None


class ChatMessage(Model):
    role: str
    content: str


class FullLLMRequest(LLMRequest):
    """With its texts, which are None if no key of the service decrypts them any more."""

    prompt: list[ChatMessage] | None
    answer: str | None
