from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Disposition(Model):
    skepticism: int
    literalism: int
    empathy: int


class Bank(Model):
    """`etag` goes with an edit, which is then refused where somebody else edited it since. Rows of a list have none."""

    bank_id: str
    name: str
    background: str
    learns_background: bool
    disposition: Disposition
    bias_strength: float
    opinion_step: float | None
    opinion_reach: float | None
    extraction_mode: str
    embedding_model: str
    created_at: datetime
    updated_at: datetime
    etag: str = ""


class BankSettings(Model):
    """Those that a bank has of its own, or all. `reflect_mission` is its background; no step, no reach: as deployed."""

    disposition_skepticism: int | None = None
    disposition_literalism: int | None = None
    disposition_empathy: int | None = None
    reflect_mission: str | None = None
    retain_extraction_mode: str | None = None
    learns_background: bool | None = None
    bias_strength: float | None = None
    opinion_step: float | None = None
    opinion_reach: float | None = None


class BankConfig(Model):
    """`etag` is that of the bank."""

    bank_id: str
    config: BankSettings
    overrides: BankSettings
    etag: str = ""


class BankDeleted(Model):
    success: bool
    message: str
    operation_id: UUID
