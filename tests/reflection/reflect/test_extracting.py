"""The answer of the built-in engine."""

from collections.abc import Sequence
from datetime import timedelta

from banks.retain.types import Network
from providers.reranking.none import NoReranker
from providers.reranking.protocol import Ranking, Scored
from reflection.reflect.extracting import NOT_IN_MEMORY, choose, tell_extract
from reflection.reflect.reflect import reflect
from reflection.reflect.tools import ReflectTools
from retrieval.types import RecallItem, Voice
from tests.reflection.reflect.answers import ask
from tests.reflection.reflect.remembered import day, gather, make_item
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory


class WordReranker:
    """The share of the query's words that a passage has."""

    model_id = "words"

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        wanted = {word.strip("?.,").lower() for word in query.split()}
        shares = [len(wanted & {word.strip("?.,").lower() for word in text.split()}) for text in passages]
        return Ranking(Scored(index, share / len(wanted)) for index, share in enumerate(shares))


def tell(question: str, *items: RecallItem) -> list[str]:
    chosen = choose(question, gather(*items).memories, WordReranker(), WordEmbedder())
    lines = tell_extract(question, chosen, NOW.tzinfo)
    return [f"{line.text} {line.memory.mark}" if line.memory else line.text for line in lines]


def test_the_best_sentence_of_a_long_memory_is_told_with_its_date() -> None:
    long = f"It rained all week. Alice moved to Lisbon. {'Nothing else happened that day. ' * 9}"
    assert tell("Alice moved where?", make_item(1, long, occurred_start=day(1))) == [
        "Alice moved to Lisbon. (Friday, May 1, 2026) [1]"
    ]


def test_of_a_short_memory_the_best_sentence_is_told_too() -> None:
    short = "It rained all week. Alice moved to Lisbon. Bob bought a boat."
    assert tell("Alice moved where?", make_item(1, short, occurred_start=day(1))) == [
        "Alice moved to Lisbon. (Friday, May 1, 2026) [1]"
    ]


def test_a_later_sentence_keeps_the_label_of_who_said_it() -> None:
    item = make_item(1, "Carol: It rained all week. Alice moved to Lisbon.", voices=(Voice("Carol", "user"),))
    assert tell("Alice moved where to?", item)[0].startswith("Carol: Alice moved to Lisbon. (")


def test_five_sentences_are_told_at_most_beliefs_among_them() -> None:
    facts = [make_item(number, f"Alice moved to house {number}. It rained.") for number in range(1, 9)]
    belief = make_item(9, "I think Alice moved too often", network=Network.OPINION, confidence=0.7)
    told = tell("Where has Alice moved?", *facts, belief)
    assert len(told) == 5
    assert [line.startswith("A belief") for line in told] == [False] * 4 + [True]
    assert not any("rained" in line for line in told)


def test_a_label_that_the_sentence_repeats_is_not_shown() -> None:
    assert tell("Alice moved where?", make_item(1, "Alice: Alice moved to Lisbon.", occurred_start=day(1))) == [
        "Alice moved to Lisbon. (Friday, May 1, 2026) [1]"
    ]
    assert tell("Bob moved?", make_item(1, "Alice: Bob and I moved.", occurred_start=day(1))) == [
        "Alice: Bob and I moved. (Friday, May 1, 2026) [1]"
    ]


def test_when_puts_the_date_first() -> None:
    assert tell("When did Alice move?", make_item(1, "Alice did move", occurred_start=day(1))) == [
        "Friday, May 1, 2026: Alice did move [1]"
    ]


def test_how_many_lists_what_matches_with_dates() -> None:
    items = [
        make_item(1, "bought a red kit", mentioned_at=day(1)),
        make_item(2, "bought a blue kit"),
        make_item(3, "x"),
    ]
    assert tell("How many: bought a kit?", *items) == [
        "2 memories match:",
        "- Told Friday, May 1, 2026: bought a red kit [1]",
        "- Told Monday, June 15, 2026: bought a blue kit [2]",
    ]


def test_a_belief_is_quoted_as_one_and_after_the_evidence() -> None:
    items = [
        make_item(1, "I think Alice likes Lisbon", network=Network.OPINION, confidence=0.7),
        make_item(2, "Alice likes tea"),
    ]
    assert tell("What likes Alice Lisbon", *items) == [
        "Alice likes tea (told Monday, June 15, 2026) [2]",
        "A belief, held with confidence 0.70: I think Alice likes Lisbon [1]",
    ]


def test_what_falls_far_behind_the_best_is_left_out() -> None:
    items = [make_item(1, "Alice moved to Lisbon in May"), make_item(2, "Bob went to Rome")]
    assert len(tell("Alice moved to Lisbon in May", *items)) == 1


def test_where_even_the_best_is_far_off_nothing_is_told() -> None:
    assert tell("Where did Bob buy the old boat", make_item(1, "Bob saw Rome")) == []


def test_without_a_reranker_vectors_decide() -> None:
    near, far = make_item(1, "Alice moved to Lisbon"), make_item(2, "zzz yyy xxx")
    chosen = choose("Alice moved to Lisbon?", gather(near, far).memories, NoReranker(), WordEmbedder())
    assert [piece.memory.label for piece in chosen.evidence] == [1]


def test_what_is_not_in_memory_is_said_plainly(memory: Memory, builtin: ReflectTools) -> None:
    memory.unit("Bob bought a bicycle")
    result = reflect(memory.bank, ask("qqq www eee?"), builtin)
    assert (result.text, result.not_in_memory, result.cited) == (NOT_IN_MEMORY, True, ())
    assert result.retrieved == 1


def test_structured_output_without_a_model_is_an_error_beside_the_answer(memory: Memory, builtin: ReflectTools) -> None:
    result = reflect(memory.bank, ask("Alice?", response_schema={"type": "object"}), builtin)
    assert result.structured.error == "Structured output needs a language model, and none is configured."


def test_dates_are_those_of_the_zone_in_which_is_asked() -> None:
    item = make_item(1, "Alice did move", occurred_start=day(1), occurred_end=day(1) + timedelta(hours=1))
    assert "Friday, May 1" in tell("When did Alice move?", item)[0]


def test_a_footnote_of_a_memory_is_no_citation() -> None:
    assert tell("Alice moved where?", make_item(1, "Alice moved to Lisbon [12][3].", occurred_start=day(1))) == [
        "Alice moved to Lisbon (12)(3). (Friday, May 1, 2026) [1]"
    ]
