import json
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from banks.retain.llm.engine import LLMEngine
from banks.retain.llm.section import Section, build_section
from banks.types import KnownFact, Passage, Role, Turn
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.llm.openai import OpenAILLM
from rules.engine import BuiltinEngine
from tests.llm_server import ScriptedLLM

ZONE = timezone(timedelta(hours=2))
SUNDAY = datetime(2024, 6, 9, 14, 5, tzinfo=ZONE)


def make_turn(
    text: str, *, speaker: str = "Ana", role: Role = "user", said_at: datetime = SUNDAY, minutes: int = 0
) -> Turn:
    return Turn(role, speaker, text, said_at + timedelta(minutes=minutes))


def make_passage(*texts: str, **given: Any) -> Passage:
    """One turn per text, a minute apart, by Ana and Ben alternately."""
    turns = (make_turn(text, speaker=("Ana", "Ben")[index % 2], minutes=index) for index, text in enumerate(texts))
    return Passage(tuple(turns), **given)


def make_section(*texts: str, **given: Any) -> Section:
    return build_section(make_passage(*texts, **given))


def make_known(*texts: str) -> list[KnownFact]:
    return [KnownFact(UUID(int=number), text, SUNDAY) for number, text in enumerate(texts, start=1)]


def make_llm(server: ScriptedLLM, *, timeout: float = 10) -> OpenAILLM:
    config = EndpointConfig(base_url=server.url, timeout_seconds=timeout, max_retries=0)
    return OpenAILLM(config, model="a-model", policy=RetryPolicy(0, first_seconds=0.01))


def make_engine(server: ScriptedLLM) -> LLMEngine:
    return LLMEngine(make_llm(server), quoting=BuiltinEngine())


def say_facts(server: ScriptedLLM, *facts: dict[str, Any]) -> None:
    server.chat.say(json.dumps({"facts": facts}))


def say_nonsense(server: ScriptedLLM, *, answers: int) -> None:
    """An answer and its repair count as two answers."""
    for _ in range(answers):
        server.chat.say("I would rather talk about the weather.")
