from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.operations import Operation


class Disposition(Model):
    skepticism: int
    literalism: int
    empathy: int


class Protection(Model):
    """The mode of each family of findings: off, flag, redact, quarantine or refuse."""

    secrets: str
    personal_data: str
    instructions: str
    personal_kinds: list[str]
    phone_region: str


class Term(Model):
    """A type of entities, or a category of facts."""

    name: str
    description: str = ""


class LegalHold(Model):
    reason: str
    since: datetime


class Bank(Model):
    """Send `etag` with an edit: the service refuses it if the bank has changed since. Rows of a list have none."""

    bank_id: str
    name: str
    background: str
    learns_background: bool
    disposition: Disposition
    bias_strength: float
    opinion_step: float | None
    opinion_reach: float | None
    extraction_mode: str
    retain_mission: str
    leave_out: str
    retain_language: str
    entity_types: list[Term]
    entity_types_closed: bool
    categories: list[Term]
    protection: Protection
    embedding_model: str
    legal_hold: LegalHold | None
    created_at: datetime
    updated_at: datetime
    etag: str = ""


class BankSettings(Model):
    """The bank's own settings, or all with their defaults. `reflect_mission` is the bank's background.

    `opinion_step` and `opinion_reach`: None for the deployment's default.
    """

    disposition_skepticism: int | None = None
    disposition_literalism: int | None = None
    disposition_empathy: int | None = None
    reflect_mission: str | None = None
    retain_extraction_mode: str | None = None
    learns_background: bool | None = None
    bias_strength: float | None = None
    opinion_step: float | None = None
    opinion_reach: float | None = None
    retain_mission: str | None = None
    leave_out: str | None = None
    llm_output_language: str | None = None
    entity_types: list[Term] | None = None
    entity_types_closed: bool | None = None
    categories: list[Term] | None = None
    protection: Protection | None = None


class BankConfig(Model):
    """`etag` is the bank's ETag."""

    bank_id: str
    config: BankSettings
    overrides: BankSettings
    etag: str = ""


class EmbeddingModel(Model):
    """`state`: none, filling, ready, switched or clearing. `other_model` is the next model, or the former one."""

    bank_id: str
    model: str
    state: str
    other_model: str
    available_models: list[str]
    operation: Operation | None


class BankDeleted(Model):
    success: bool
    message: str
    operation_id: UUID
