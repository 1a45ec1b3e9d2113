"""The messages of the first call, and how long each of their parts is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import orjson

from banks.dates.describe import describe_date
from providers.llm.prompting.fence import bar, fence
from providers.llm.protocol import ChatMessage
from reflection.directives.telling import tell_directives
from reflection.disposition.system_message import build_system_message
from reflection.profile import Profile
from reflection.reflect.llm.counting import BREAK, count_text
from reflection.reflect.llm.delimiter import disarm
from reflection.reflect.llm.rules import ANSWERING, LOOKING, NO_LOOKING, NO_OPINIONS, NOTING
from reflection.reflect.types import ReflectQuery


@dataclass(frozen=True)
class Prompt:
    """`parts` are texts by name, in their order; those of the system message come first."""

    system: Mapping[str, str]
    user: Mapping[str, str]

    @property
    def messages(self) -> list[ChatMessage]:
        return [ChatMessage("system", join(self.system.values())), ChatMessage("user", join(self.user.values()))]

    def count_parts(self) -> dict[str, int]:
        return {name: count_text(text) for name, text in {**self.system, **self.user}.items()}


def build_prompt(profile: Profile, query: ReflectQuery, context: Mapping[str, str], *, delimiter: str) -> Prompt:
    """The delimiter stands at the end: the system message is the same each time, which endpoints cache."""
    system = {"profile": build_system_message(profile), "rules": build_rules(query)}
    if query.directives:
        system["directives"] = tell_directives(query.directives)
    user = {**(context or {"evidence": "Your memory holds nothing on this."})}
    if query.context:
        user["context"] = "The one who asks adds:\n" + fence("context", bar(disarm(query.context)))
    user["question"] = build_question(query.recall.text, query.recall.asked_at)
    return Prompt(system, {**user, "divider": f"The dividing line of this answer:\n{delimiter}"})


def build_rules(query: ReflectQuery) -> str:
    parts = [ANSWERING, NOTING]
    if not query.forms_opinions:
        parts.append(NO_OPINIONS)
    if query.response_schema is not None:
        parts.append(ask_for_structure(query.response_schema))
    parts.append(LOOKING if query.bounds.calls > 1 else NO_LOOKING)
    parts.append(f"The answer has at most {query.answer_tokens} tokens, and is no longer than the question needs.")
    return join(parts)


def ask_for_structure(schema: Mapping[str, object]) -> str:
    """The schema is the caller's, so it is fenced like any text that we did not write."""
    written = fence("schema", bar(orjson.dumps(schema, option=orjson.OPT_INDENT_2).decode()))
    return (
        "Add a field structured_output to the JSON object: the same answer as JSON that matches this schema, with "
        f"null where memory does not hold a value and the schema allows it.\n{written}"
    )


def build_question(text: str, asked_at: datetime) -> str:
    day = describe_date(asked_at, asked_at, "minute")
    return f"The question is asked on {day} ({asked_at:%Y-%m-%d}).\n" + fence("question", bar(disarm(text)))


def join(parts: Iterable[str]) -> str:
    return BREAK.join(parts)
