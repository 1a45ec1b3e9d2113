from typing import Any, ClassVar

from pydantic import BaseModel, model_validator


class ListedAnswer(BaseModel):
    """An object with one list, whose field `listed` names. The bare list is accepted too.

    The field has no default: an object without it is a fault to repair. An empty list would lose a passage silently.
    """

    listed: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def take_a_bare_list(cls, value: Any) -> Any:
        return {cls.listed: value} if isinstance(value, list) else value
