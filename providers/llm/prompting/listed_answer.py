from typing import Any, ClassVar

from pydantic import BaseModel, model_validator


class ListedAnswer(BaseModel):
    """An object with one list of objects, whose field `listed` names. The bare list is accepted too.

    The field has no default: an object without it is a fault to repair. An empty list would lose a passage silently.
    Items that are no objects are dropped where others are.
    """

    listed: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def take_a_bare_list(cls, value: Any) -> Any:
        given = {cls.listed: value} if isinstance(value, list) else value
        if not isinstance(given, dict) or not isinstance(given.get(cls.listed), list):
            return given
        objects = [one for one in given[cls.listed] if isinstance(one, dict)]
        return given | {cls.listed: objects} if objects else given
