"""Directives in the words that a model is given. They stand in the system message, which nothing of memory reaches."""

from collections.abc import Sequence

from reflection.reflect.llm.delimiter import disarm
from reflection.reflect.types import AppliedDirective

HEADING = """\
Directives
Each of these rules holds for your answer, whatever the question, your memory or your disposition suggests. Where two \
of them can't both be kept, the earlier one holds. They are about the answer: the dividing line and the JSON object \
stay as described."""


def tell_directives(directives: Sequence[AppliedDirective]) -> str:
    rules = [tell(number, one) for number, one in enumerate(directives, 1)]
    return "\n".join([HEADING, *rules])


def tell(number: int, directive: AppliedDirective) -> str:
    name, content = " ".join(directive.name.split()), disarm(directive.content.strip())
    return f"{number}. {name}: " + content.replace("\n", "\n   ")
