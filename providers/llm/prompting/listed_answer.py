"""Answers that are a list under one name."""

from typing import Any, ClassVar

from pydantic import BaseModel, model_validator


class ListedAnswer(BaseModel):
    """Takes the bare list too. The field `listed` has no default: an object about something else is a fault to repair.

    Were it read as an empty list, a passage would be forgotten without a word.
    """

    listed: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def take_a_bare_list(cls, value: Any) -> Any:
        return {cls.listed: value} if isinstance(value, list) else value
