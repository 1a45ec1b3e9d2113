from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Directive(Model):
    """`etag` goes with an edit, which is then refused where somebody else edited it since."""

    id: UUID
    name: str
    content: str
    priority: int
    is_active: bool
    tags: list[str]
    created_at: datetime
    updated_at: datetime
    etag: str = ""
