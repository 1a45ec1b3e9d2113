"""Every environment variable of the service, with its type and purpose.

Tests compare the table in `docs/configuration.md` and the file `compose.yaml` with this class.
"""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from django.core.exceptions import ImproperlyConfigured
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s?#]+")  # apps have schemes of their own, such as tauri://


def check_postgres_url(value: str) -> str:
    if not value.startswith(("postgresql://", "postgres://")):
        raise ValueError("must start with postgresql://")
    return value


def check_redis_url(value: str) -> str:
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must start with redis://, rediss:// or unix://")
    return value


def check_broker_url(value: str) -> str:
    if not value.startswith(("amqp://", "amqps://", "redis://", "rediss://", "unix://")):
        raise ValueError("must start with amqp://, amqps://, redis://, rediss:// or unix://")
    return value


def split_commas(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def check_origins(values: list[str]) -> list[str]:
    for value in values:
        if value != "*" and not ORIGIN.fullmatch(value):
            raise ValueError("must hold origins such as https://app.example.com, without a path, or *")
    return values


PostgresUrl = Annotated[str, AfterValidator(check_postgres_url)]
RedisUrl = Annotated[str, AfterValidator(check_redis_url)]
BrokerUrl = Annotated[str, AfterValidator(check_broker_url)]
CommaList = Annotated[list[str], NoDecode, BeforeValidator(split_commas)]
Secrets = Annotated[list[SecretStr], NoDecode, BeforeValidator(split_commas)]
Origins = Annotated[list[str], NoDecode, BeforeValidator(split_commas), AfterValidator(check_origins)]


EmbeddingProvider = Literal["onnx", "sentence-transformers", "openai"]


class EmbeddingModel(BaseModel):
    """A further embedding model, for banks that have another one than the default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: EmbeddingProvider
    model: str = Field(min_length=1, max_length=200)
    id: str | None = Field(default=None, min_length=1, max_length=200)
    base_url: str | None = None
    api_key: SecretStr | None = None
    query_prefix: str | None = None

    @model_validator(mode="after")
    def check_base_url(self) -> Self:
        if self.provider == "openai" and not self.base_url:
            raise ValueError("needs a base_url for a model of openai")
        return self

    def write(self) -> dict[str, Any]:
        key = self.api_key.get_secret_value() if self.api_key else None
        return self.model_dump() | {"api_key": key}


class TaskLLM(BaseModel):
    """The language model of one task. An empty field has the value of `LLM_*`, but a key never goes to another URL."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str | None = Field(default=None, description="Endpoint, if it is not that of LLM_BASE_URL.")
    model: str | None = Field(default=None, description="Model name; needed with a base URL.")
    api_key: SecretStr | None = Field(default=None, description="Its key; LLM_API_KEY serves only LLM_BASE_URL.")
    reasoning_effort: str | None = Field(default=None, description="Effort that is asked for, such as low.")
    temperature: float | None = Field(default=None, ge=0, le=2, description="Temperature that is asked for.")
    timeout_seconds: float | None = Field(default=None, gt=0, description="Time limit of a call.")

    def write(self) -> dict[str, Any]:
        key = self.api_key.get_secret_value() if self.api_key else None
        return {name: value for name, value in (self.model_dump() | {"api_key": key}).items() if value is not None}


class ModelPrice(BaseModel):
    """The price of a million tokens, read and written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Decimal = Field(ge=0)
    output: Decimal = Field(default=Decimal(0), ge=0)


class Environment(BaseSettings):
    model_config = SettingsConfigDict(
        extra="ignore", env_ignore_empty=True, frozen=True, env_nested_delimiter="_", env_nested_max_split=1
    )

    secret_key: SecretStr = Field(
        min_length=50,
        description="Signs sessions and tokens, encrypts webhooks' secrets and cached answers. At least 50 characters.",
    )
    secret_key_fallbacks: Secrets = Field(
        default=[],
        description="Former values of SECRET_KEY that are still accepted, the newest first, separated by commas.",
    )
    api_key_secret: SecretStr = Field(
        min_length=32,
        description="Keys the HMAC under which API keys are stored. Changing it revokes every key. At least 32 "
        "characters.",
    )
    allowed_hosts: CommaList = Field(default=[], description="Host names of the service, separated by commas.")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/\s]+$",
        description="The address that people open, such as https://memory.example.com. Links in e-mails begin with it.",
    )
    sign_up: Literal["open", "invited", "closed"] = Field(
        default="open", description="Who may sign up: open (anyone), invited (people with an invitation), or closed."
    )
    max_owned_tenants: int = Field(
        default=10, ge=1, description="A person who owns this many tenants can't found another one."
    )
    email_url: SecretStr | None = Field(
        default=None,
        description="smtp://user:password@host:587 or smtps://…; the default prints e-mails to the console.",
    )
    email_from: str = Field(default="Memory platform <no-reply@localhost>", description="The sender of e-mails.")
    google_client_id: str | None = Field(default=None, description="OAuth client of Google, for log-in with Google.")
    google_client_secret: SecretStr | None = Field(default=None, description="Its secret.")
    github_client_id: str | None = Field(default=None, description="OAuth client of GitHub, for log-in with GitHub.")
    github_client_secret: SecretStr | None = Field(default=None, description="Its secret.")
    csrf_trusted_origins: CommaList = Field(
        default=[], description="Origins that may post forms, such as https://memory.example.com, separated by commas."
    )

    database_url: PostgresUrl = Field(
        description="The service role: owns nothing, can't bypass row-level security. Web and workers use it."
    )
    database_owner_url: PostgresUrl | None = Field(
        default=None,
        description="The role that owns the tables. Only `migrate`, other commands of operators and the `background` "
        "workers, which build vector indexes, need it.",
    )
    database_platform_url: PostgresUrl | None = Field(
        default=None, description="The role that sees every tenant. Only the Django admin needs it."
    )
    database_setup_url: PostgresUrl | None = Field(
        default=None, description="An account that may create roles. Only `provision_database` uses it."
    )
    database_replica_url: PostgresUrl | None = Field(
        default=None,
        description="The service role on a streaming replica, which recall reads while it is fresh enough.",
    )
    database_replica_max_lag_seconds: float = Field(
        default=10.0, gt=0, le=3600, description="Recall reads no replica that is further behind."
    )
    database_pool_size: int = Field(
        default=20,
        ge=1,
        le=500,
        description="Maximum of connections of a process: 8 for recall's threads, and one for each request.",
    )
    database_prepared_statements: bool = Field(
        default=True,
        description="Keep recall's statements prepared. Turn it off for a pooler in transaction mode that can't.",
    )
    redis_url: RedisUrl = Field(description="Dramatiq's broker, and the counters of the rate limits.")
    broker_url: BrokerUrl | None = Field(
        default=None,
        description="Another broker than REDIS_URL: amqp:// or amqps:// for RabbitMQ (the extra `rabbitmq`), or "
        "another Redis.",
    )

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="The lowest level that is logged: DEBUG, INFO, WARNING or ERROR."
    )
    log_format: Literal["json", "console"] = Field(
        default="json", description="json: one object a line; console: readable lines."
    )
    metrics_token: SecretStr | None = Field(
        default=None, description="The bearer token of /metrics. Without it /metrics is closed."
    )
    tracing_url: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="OTLP endpoint for OpenTelemetry traces (the extra `tracing`), such as "
        "http://collector:4318/v1/traces. Without it nothing is traced.",
    )
    rate_limit_per_key: int = Field(
        default=6_000, ge=0, le=1_000_000, description="Requests a minute for each API key; 0: no limit."
    )
    rate_limit_per_tenant: int = Field(
        default=30_000,
        ge=0,
        le=1_000_000,
        description="Requests a minute for all keys of a tenant, unless its plan has a limit; 0: no limit.",
    )
    model_prices: dict[str, ModelPrice] = Field(
        default={},
        description="Prices of a million tokens by model, as JSON, for the cost in usage reports: "
        '`{"gpt-5-mini": {"input": 0.25, "output": 2}}`.',
    )
    price_currency: str = Field(default="USD", min_length=1, max_length=10, description="The currency of MODEL_PRICES.")
    cors_allowed_origins: Origins = Field(
        default=[],
        description="Origins whose pages may call the API and MCP, such as https://app.example.com, separated by "
        "commas; * for all.",
    )
    max_body_bytes: int = Field(default=12_582_912, ge=1024, description="The largest request body that is accepted.")

    s3_endpoint_url: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="Server of s3:// addresses with the S3 protocol, for backups (the extra `s3`). Default: Amazon's.",
    )

    export_seconds: float = Field(
        default=3_600.0, gt=0, description="Time limit of an export, from the request to its last byte."
    )

    operation_lease_seconds: int = Field(
        default=60, ge=1, description="Time after which another worker may take the operation of a silent worker."
    )
    operation_lease_folder: Path | None = Field(
        default=None,
        description="A folder for this process alone. After a crash the process that is started in its place ends the "
        "leases of the dead one and releases its Idempotency-Keys at once. `up` sets one for each process.",
    )
    operation_max_attempts: int = Field(default=5, ge=1, le=100, description="Attempts before an operation fails.")
    operation_retry_seconds: float = Field(
        default=2.0, gt=0, description="The wait before the second attempt; it doubles with each further one."
    )
    queue_most_waiting: int = Field(
        default=2_000, ge=1, description="Operations of one tenant that may wait in a queue; more are refused with 503."
    )
    worker_threads: int = Field(default=4, ge=1, le=64, description="Threads in one worker process.")
    worker_niceness: int = Field(
        default=5, ge=0, le=19, description="By how much a worker yields to the web processes on the same cores."
    )

    webhook_private_addresses: bool = Field(
        default=False, description="Allow webhooks to private, loopback and link-local addresses."
    )
    webhook_timeout_seconds: float = Field(default=10.0, gt=0, le=120, description="Time limit of one delivery.")
    webhook_max_attempts: int = Field(default=8, ge=1, le=30, description="Attempts before a delivery is given up.")
    webhook_retry_seconds: float = Field(
        default=30.0, gt=0, description="The wait before a delivery's second attempt; it doubles with each further one."
    )

    vector_index_units: int = Field(
        default=10_000,
        ge=1,
        description="Rows of one kind (memories, chunks, episodes, relationships) from which a bank gets a vector "
        "index for them.",
    )
    recall_statement_seconds: float = Field(
        default=1.0, gt=0, le=60, description="Time that one statement of a recall may take before it is left out."
    )
    recall_log_days: int = Field(default=30, ge=1, le=3650, description="Days that the log of recalls is kept.")
    recall_trace_sample: float = Field(
        default=0.01, ge=0, le=1, description="Share of recalls whose whole trace is logged."
    )

    model_threads: int = Field(default=2, ge=1, description="Threads that one ONNX call may use.")
    embedding_provider: EmbeddingProvider = Field(
        default="onnx", description="The embedding provider: onnx, sentence-transformers or openai."
    )
    embedding_model: str = Field(
        default="memory-embedder-v2", description="Model name, or a folder for sentence-transformers."
    )
    embedding_base_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint for embeddings; needed with openai."
    )
    embedding_api_key: SecretStr | None = Field(default=None, description="Its key.")
    embedding_query_prefix: str | None = Field(
        default=None, description="Text before queries, not before documents; the default is the model's own."
    )
    embedding_models: list[EmbeddingModel] = Field(
        default=[],
        description="Further embedding models that banks may have, as a JSON list of objects with `provider`, `model`, "
        "and where needed `id`, `base_url`, `api_key` and `query_prefix`.",
    )
    reranking_provider: Literal["onnx", "sentence-transformers", "http", "llm", "none"] = Field(
        default="onnx",
        description="The reranking provider: onnx, sentence-transformers, http, llm, or none, which keeps the order.",
    )
    reranking_model: str | None = Field(
        default=None,
        description="Model name, or a folder for sentence-transformers. Empty: the provider's usual model; with onnx "
        "memory-reranker-v1, and cross-encoder/ms-marco-MiniLM-L-12-v2 for the budget high.",
    )
    reranking_base_url: str | None = Field(
        default=None, description="Endpoint with /rerank in the form of Cohere and Jina; needed with http."
    )
    reranking_api_key: SecretStr | None = Field(default=None, description="Its key.")
    reranking_least_seconds: float = Field(
        default=3.0, gt=0, description="Minimum time limit of http and llm, for budgets of recall that are shorter."
    )
    opinion_step: float = Field(
        default=0.15, gt=0, lt=1, description="How far one piece of evidence moves an opinion, unless the bank sets it."
    )
    opinion_reach: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Cosine above which a fact is evidence for an opinion, unless the bank sets it.",
    )
    observation_least_facts: int = Field(
        default=3, ge=1, description="Facts that an entity must have before observations about it are written."
    )
    observation_least_share: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="New facts, as a share of those that the observations on an entity rest on, before they are "
        "written again.",
    )
    observation_quiet_seconds: float = Field(
        default=60.0, gt=0, description="Time without another change of an entity before its observations are written."
    )
    llm_base_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint. Without it the built-in engine serves."
    )
    llm_api_key: SecretStr | None = Field(default=None, description="Its key.")
    llm_model: str | None = Field(default=None, description="Model name; needed with LLM_BASE_URL.")
    llm_structured_output: Literal["json_schema", "json_object"] = Field(
        default="json_schema", description="json_schema, or json_object for an endpoint without JSON-schema mode."
    )
    llm_provider: Literal["openai", "litellm"] = Field(
        default="openai",
        description="openai for any OpenAI-compatible endpoint; litellm (an extra) for the other providers it knows.",
    )
    llm_reasoning_effort: str | None = Field(
        default=None, description="Reasoning effort that is asked for, such as low; by default none is named."
    )
    llm_temperature: float | None = Field(
        default=None, ge=0, le=2, description="Temperature of every call; by default 0, or the model's own for answers."
    )
    llm_timeout_seconds: float = Field(default=60.0, gt=0, description="Time limit of a call.")
    llm_max_retries: int = Field(default=3, ge=0, le=10, description="Retries on 429, 5xx and a lost connection.")
    llm_max_concurrency: int = Field(default=8, ge=1, description="Maximum of calls at once from one process.")
    llm_extract: TaskLLM = Field(default=TaskLLM(), description="Retain: reading facts.")
    llm_reflect: TaskLLM = Field(default=TaskLLM(), description="Answers, new opinions and the background.")
    llm_observe: TaskLLM = Field(default=TaskLLM(), description="Observations, mental models and month summaries.")
    llm_judge: TaskLLM = Field(default=TaskLLM(), description="Decisions: duplicates, contradictions, verdicts.")
    llm_fallback: TaskLLM = Field(default=TaskLLM(), description="Takes over while another model fails.")
    own_llm_private_addresses: bool = Field(
        default=False, description="Allow tenants' own LLMs at private addresses, and without TLS."
    )

    @model_validator(mode="after")
    def check_pairs(self) -> Self:
        self.check_llms()
        if self.embedding_provider == "openai" and not self.embedding_base_url:
            raise ValueError("EMBEDDING_BASE_URL is missing: EMBEDDING_PROVIDER=openai needs it")
        if self.reranking_provider == "http" and not self.reranking_base_url:
            raise ValueError("RERANKING_BASE_URL is missing: RERANKING_PROVIDER=http needs it")
        if self.reranking_provider == "llm" and not self.llm_base_url and self.llm_provider == "openai":
            raise ValueError("LLM_BASE_URL is missing: RERANKING_PROVIDER=llm needs it")
        return self

    def check_llms(self) -> None:
        if self.llm_base_url and not self.llm_model:
            raise ValueError("LLM_MODEL is missing: LLM_BASE_URL needs it")
        for name in LLM_TASKS:
            task: TaskLLM = getattr(self, name)
            if task.write() and not self.llm_model:
                raise ValueError(f"LLM_MODEL is missing: {name.upper()}_* needs the default model beside it")
            if task.base_url and not task.model:
                raise ValueError(f"{name.upper()}_MODEL is missing: {name.upper()}_BASE_URL needs it")
        if self.llm_fallback.write() and not self.llm_fallback.model:
            raise ValueError("LLM_FALLBACK_MODEL is missing: LLM_FALLBACK_* needs it")


LLM_TASKS = [name for name, one in Environment.model_fields.items() if one.annotation is TaskLLM]


def list_variables() -> dict[str, FieldInfo]:
    """Every variable by its name, those of the tasks' language models one by one."""
    found: dict[str, FieldInfo] = {}
    for name, one in Environment.model_fields.items():
        if name in LLM_TASKS:
            found |= {f"{name}_{part}".upper(): field for part, field in TaskLLM.model_fields.items()}
        else:
            found[name.upper()] = one
    return found


def read_environment() -> Environment:
    """Read and check the environment. ImproperlyConfigured names each faulty variable."""
    try:
        return Environment()
    except ValidationError as error:
        faults = "; ".join(explain_fault(fault) for fault in error.errors())
        raise ImproperlyConfigured(f"The environment is not usable. {faults}.") from None


def explain_fault(fault: ErrorDetails) -> str:
    """A sentence without the value, which may be a secret."""
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "missing":
        message = "is missing"
    elif fault["type"] == "too_short":
        message = f"must have at least {fault['ctx']['min_length']} characters"
    depth = 2 if fault["loc"][:1] and fault["loc"][0] in LLM_TASKS else 1
    name = "_".join(map(str, fault["loc"][:depth])).upper()
    return f"{name} {message}".strip()
