from uuid import UUID

from memoryplatform_client.models.base import Model


class Imported(Model):
    """`next_line`: where the next part begins; None once all is there. `rows` by type."""

    operation_id: UUID
    next_line: int | None
    rows: dict[str, int]
