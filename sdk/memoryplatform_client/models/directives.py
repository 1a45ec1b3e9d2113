from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Directive(Model):
    """Send `etag` with an edit: the service refuses the edit if the directive has changed since."""

    id: UUID
    name: str
    content: str
    priority: int
    is_active: bool
    tags: list[str]
    created_at: datetime
    updated_at: datetime
    etag: str = ""
