import pytest
from pydantic import BaseModel

from banks.enums import Mode
from banks.retain.llm.engine import LLMEngine
from providers.llm.errors import LLMUnavailable, MalformedAnswer
from providers.llm.prompting.cache import CachedLLM
from providers.llm.protocol import LLM, ChatMessage, StreamEnd, TextDelta
from providers.usage import Usage
from rules.engine import BuiltinEngine
from tests.banks.retain.llm.factory import make_llm, make_passage, say_facts, say_nonsense
from tests.llm_server import ScriptedLLM

ASK = [ChatMessage("user", "Where does Ana work? \ud800")]


class Place(BaseModel):
    name: str


class City(BaseModel):
    name: str
    country: str = ""


class Memory:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self.kept.get(key)

    def put(self, key: str, answer: str) -> None:
        self.kept[key] = answer


@pytest.fixture
def store() -> Memory:
    return Memory()


@pytest.fixture
def cached(llm_server: ScriptedLLM, store: Memory) -> LLM:
    return CachedLLM(make_llm(llm_server), store)


def test_a_structured_answer_is_paid_for_once(llm_server: ScriptedLLM, cached: LLM) -> None:
    llm_server.chat.say('Here: {"name": "Acme"}')
    first = cached.complete_as(Place, ASK)
    again = cached.complete_as(Place, ASK)
    assert first.value == again.value == Place(name="Acme")
    assert (first.usage.calls, again.usage) == (1, Usage())
    assert len(llm_server.chat.received) == 1


def test_a_completion_is_paid_for_once(llm_server: ScriptedLLM, cached: LLM) -> None:
    llm_server.chat.say("At Acme.\x00")
    first, again = cached.complete(ASK), cached.complete(ASK)
    assert (again.text, again.finish_reason, again.usage) == (first.text, "stop", Usage())
    assert len(llm_server.chat.received) == 1


def test_cached_answers_can_be_stored_in_a_database(llm_server: ScriptedLLM, cached: LLM, store: Memory) -> None:
    llm_server.chat.say("At Acme.\x00")
    cached.complete(ASK)
    ((key, answer),) = store.kept.items()
    assert len(key) == 64
    assert "\x00" not in answer


def test_another_question_is_another_answer(llm_server: ScriptedLLM, cached: LLM) -> None:
    llm_server.chat.otherwise = lambda _: '{"name": "Acme"}'
    cached.complete_as(Place, ASK)
    cached.complete_as(City, ASK)
    cached.complete_as(Place, [*ASK, ChatMessage("user", "Now?")])
    cached.complete_as(Place, [ChatMessage("system", ASK[0].content)])
    cached.complete_as(Place, ASK, max_tokens=9)
    cached.complete_as(Place, ASK, temperature=1.0)
    cached.complete(ASK)
    assert len(llm_server.chat.received) == 7


def test_another_model_is_asked_itself(llm_server: ScriptedLLM, store: Memory) -> None:
    llm_server.chat.otherwise = lambda _: "At Acme."
    models = [make_llm(llm_server), make_llm(llm_server)]
    models[1].model_id = "another-model"
    for llm in models:
        CachedLLM(llm, store).complete(ASK)
    assert len(llm_server.chat.received) == 2


def test_the_repaired_answer_is_the_one_that_is_kept(llm_server: ScriptedLLM, cached: LLM) -> None:
    llm_server.chat.say("Acme")
    llm_server.chat.say('{"name": "Acme"}')
    assert cached.complete_as(Place, ASK).repaired
    assert not cached.complete_as(Place, ASK).repaired
    assert len(llm_server.chat.received) == 2


def test_a_failure_is_not_kept(llm_server: ScriptedLLM, cached: LLM, store: Memory) -> None:
    llm_server.chat.fail(500)
    with pytest.raises(LLMUnavailable):
        cached.complete_as(Place, ASK)
    say_nonsense(llm_server, answers=2)
    with pytest.raises(MalformedAnswer):
        cached.complete_as(Place, ASK)
    assert not store.kept


def test_an_answer_that_was_cut_off_is_not_kept(llm_server: ScriptedLLM, cached: LLM, store: Memory) -> None:
    llm_server.chat.say("At Ac", finish_reason="length")
    assert cached.complete(ASK).truncated
    assert not store.kept


def test_an_answer_that_no_longer_fits_its_model_is_requested_again(
    llm_server: ScriptedLLM, cached: LLM, store: Memory
) -> None:
    llm_server.chat.say('{"name": "Acme"}')
    llm_server.chat.say('{"name": "Globex"}')
    cached.complete_as(Place, ASK)
    store.kept = dict.fromkeys(store.kept, '{"text": "{}"}')
    assert cached.complete_as(Place, ASK).value.name == "Globex"
    assert cached.complete_as(Place, ASK).value.name == "Globex"


def test_a_stream_passes_through(llm_server: ScriptedLLM, cached: LLM, store: Memory) -> None:
    llm_server.chat.say("At Acme.")
    *deltas, end = cached.stream(ASK)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "At Acme."
    assert isinstance(end, StreamEnd)
    assert not store.kept


def test_extracting_the_same_passage_again_costs_nothing(llm_server: ScriptedLLM, cached: LLM) -> None:
    say_facts(llm_server, {"what": "Ana works at Acme."})
    engine = LLMEngine(cached, quoting=BuiltinEngine())
    first = engine.extract(make_passage("I work at Acme."), mode=Mode.NARRATIVE)
    again = engine.extract(make_passage("I work at Acme."), mode=Mode.NARRATIVE)
    assert again.facts == first.facts
    assert (first.usage.calls, again.usage.calls) == (1, 0)
    assert engine.name == "a-model"
