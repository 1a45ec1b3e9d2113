from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class ErasurePreview(Model):
    """Rows that would go and rows that would stay without the erased words, by table, and samples of erased texts."""

    erased: dict[str, int]
    rewritten: dict[str, int]
    samples: list[str]


class Erasure(Model):
    """`sha256` is the digest of the erased ids, empty until `completed_at`. `target_id` is None for a thread."""

    erasure_id: UUID
    kind: str
    bank_id: str
    target_id: UUID | None
    status: str
    operation_id: UUID | None
    requested_by: str
    requested_at: datetime
    completed_at: datetime | None
    erased: dict[str, int]
    rewritten: dict[str, int]
    sha256: str
