from datetime import datetime

from pydantic import BaseModel, ConfigDict

from memoryplatform_client.options.words import Role


class Message(BaseModel):
    """`timestamp`: when the message was said, by default now. Without a zone it is local time."""

    model_config = ConfigDict(frozen=True)

    role: Role
    content: str
    timestamp: datetime | None = None
    name: str = ""
    actor: str = ""
