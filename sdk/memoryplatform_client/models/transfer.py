from uuid import UUID

from memoryplatform_client.models.base import Model


class Imported(Model):
    """`next_line`: the line to continue with, None once the import is complete. `rows`: counts by type."""

    operation_id: UUID
    next_line: int | None
    rows: dict[str, int]
