"""Options of one suite, as one table for the command line and for the suite."""

from dataclasses import dataclass, field, fields
from typing import Any, Self

from django.core.management.base import CommandParser


def option(default: Any, text: str, **more: Any) -> Any:
    return field(default=default, metadata={"help": text, **more})


@dataclass(frozen=True)
class OptionTable:
    """The fields have the names of the options."""

    @classmethod
    def add_arguments(cls, parser: CommandParser, title: str) -> None:
        group = parser.add_argument_group(title)
        for one in fields(cls):
            group.add_argument(f"--{one.name.replace('_', '-')}", default=one.default, **one.metadata)

    @classmethod
    def read(cls, given: dict[str, Any]) -> Self:
        return cls(**{one.name: given[one.name] for one in fields(cls)})

    def write(self) -> list[str]:
        """The command line that reads as these options."""
        given = {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
        return [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]


def split(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]
