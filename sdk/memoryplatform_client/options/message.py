from datetime import datetime

from pydantic import BaseModel, ConfigDict

from memoryplatform_client.options.words import Role


class Message(BaseModel):
    """`timestamp`: when it was said; now where left out. Without a zone it is local time."""

    model_config = ConfigDict(frozen=True)

    role: Role
    content: str
    timestamp: datetime | None = None
    name: str = ""
    actor: str = ""
