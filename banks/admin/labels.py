from collections.abc import Callable, Mapping
from typing import TypeVar

from unfold.decorators import display

F = TypeVar("F", bound=Callable[..., object])


def labelled(description: str, tones: Mapping[str, str]) -> Callable[[F], F]:
    """A column of short words on a coloured ground: a word without a tone is grey."""

    def decorate(function: F) -> F:
        decorated: F = display(description=description, label=dict(tones))(function)
        return decorated

    return decorate
