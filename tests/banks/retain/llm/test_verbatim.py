from banks.enums import Mode
from rules.engine import BuiltinEngine
from tests.banks.retain.llm.factory import make_engine, make_passage
from tests.llm_server import ScriptedLLM

PASSAGE = make_passage("I moved to Rome.", "Congratulations!")


def test_each_turn_is_quoted_as_the_builtin_engine_does_it(llm_server: ScriptedLLM) -> None:
    facts = make_engine(llm_server).extract(PASSAGE, mode=Mode.VERBATIM).facts
    assert [fact.quotes[0].turn for fact in facts] == [0, 1]
    assert facts == BuiltinEngine().extract(PASSAGE, mode=Mode.VERBATIM).facts


def test_no_model_is_asked(llm_server: ScriptedLLM) -> None:
    assert make_engine(llm_server).extract(PASSAGE, mode=Mode.VERBATIM).usage.calls == 0
    assert not llm_server.chat.received
