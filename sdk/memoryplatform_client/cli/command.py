"""A command: its words, its arguments, and what it does."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from memoryplatform_client.cli.session import Session

Given: TypeAlias = argparse.Namespace
Run: TypeAlias = Callable[[Session, Given], int]
AddArguments: TypeAlias = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True)
class Action:
    """What may follow the name of a command, such as `list` of `banks`."""

    name: str
    summary: str
    add_arguments: AddArguments
    run: Run


@dataclass(frozen=True)
class Command:
    """Either `run`, or `actions`. With `lists_alone` the first action is meant where none is named."""

    name: str
    summary: str
    add_arguments: AddArguments | None = None
    run: Run | None = None
    actions: Sequence[Action] = ()
    lists_alone: bool = False


def no_arguments(_parser: argparse.ArgumentParser) -> None:
    pass


def moment(text: str) -> datetime:
    """For argparse. Without a zone it is local time."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError) as fault:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 2024-05-08T13:56") from fault


def filled(text: str) -> str:
    """For argparse. What is there and empty was meant to be something, such as a variable that nobody set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def filled_path(text: str) -> Path:
    """For argparse: an empty one would be the folder that one is in."""
    return Path(filled(text))


def at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least}")
        return int(text)

    return number


def given_ones(given: Given, *names: str) -> dict[str, Any]:
    """Those options that were given: whatever is left out is the service's to choose."""
    return {name: getattr(given, name) for name in names if getattr(given, name) not in (None, [])}
