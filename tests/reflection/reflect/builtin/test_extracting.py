"""The answer of the built-in engine."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

import pytest

from banks.words import Network
from providers.reranking.none import NoReranker
from providers.reranking.protocol import Ranking, Scored
from reflection.reflect.builtin.choosing import choose
from reflection.reflect.builtin.extracting import asks_for_count
from reflection.reflect.builtin.telling import NOT_IN_MEMORY, UNSURE, list_shortcomings, tell_extract
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


class HurriedReranker(WordReranker):
    """Has time for the first few alone."""

    def __init__(self, most: int) -> None:
        self._most = most

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        scored = super().rerank(query, passages, within_seconds=within_seconds, instruction=instruction)
        return Ranking(one if one.index < self._most else Scored(one.index, None) for one in scored)


def tell(question: str, *items: RecallItem) -> list[str]:
    chosen = choose(question, gather(*items).memories, WordReranker(), WordEmbedder())
    lines = tell_extract(question, chosen, NOW)
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


def test_a_sentence_that_refers_back_comes_with_what_it_refers_to() -> None:
    dog = "Mira took in a greyhound called Biscuit. It rained. She is four years old."
    [told] = tell("How old is Biscuit, four years or so", make_item(1, dog))
    assert told.startswith("Mira took in a greyhound called Biscuit. She is four years old. (")


@pytest.mark.parametrize(
    ("question", "first"),
    [("Where does Ann work now at the lab?", "bakery"), ("Where does Ann work at the lab?", "lab")],
)
def test_where_the_present_is_asked_for_the_latest_of_what_is_as_near_comes_first(question: str, first: str) -> None:
    former = make_item(1, "Where Ann does work now is at the lab", mentioned_at=day(1))
    later = make_item(2, "Where Ann does work now is at the bakery", mentioned_at=day(9))
    assert first in tell(question, former, later)[0]


@pytest.mark.parametrize(
    ("question", "first"),
    [("Where does Ann work?", "lab"), ("Where does Ann work now?", "lab"), ("Where will Ann work?", "bakery")],
)
def test_what_is_so_until_an_announced_change_comes_before_it(question: str, first: str) -> None:
    coming = make_item(1, "Where Ann does work now is at the bakery", valid_from=day(1, month=12), mentioned_at=day(9))
    present = make_item(2, "Where Ann does work now is at the lab", superseded_by=UUID(int=1), mentioned_at=day(1))
    assert first in tell(question, coming, present)[0]


@pytest.mark.parametrize(
    ("question", "at", "first"),
    [
        ("Where does Ann work?", day(9), "lab"),
        ("Where does Ann work now?", day(9), "lab"),
        ("Where will Ann work?", day(9), "bakery"),
        ("Where does Ann work?", day(9, month=12), "bakery"),
        ("Which bakery does Ann start work at in December?", day(9), "bakery"),
    ],
)
def test_an_observation_of_what_is_to_come_is_told_behind_what_is_so(question: str, at: datetime, first: str) -> None:
    coming, present = "Where Ann does work now is at the bakery in December", "Where Ann does work now is at the lab"
    seen = [
        make_item(1, coming, network=Network.OBSERVATION, valid_from=day(1, month=12), mentioned_at=day(9)),
        make_item(2, present, network=Network.OBSERVATION, valid_from=day(1), mentioned_at=day(1)),
    ]
    chosen = choose(question, gather(*seen).memories, WordReranker(), WordEmbedder(), asked_at=day(9), moment=at)
    assert first in chosen.evidence[0].text


def test_where_nothing_tells_of_a_state_what_began_it_answers() -> None:
    moves = [make_item(1, "Ann did move to Graz", mentioned_at=day(1)), make_item(2, "Ann did move to Bern")]
    assert [line[:21].strip(" (") for line in tell("Where does Ann live?", *moves)] == [
        "Ann did move to Bern",
        "Ann did move to Graz",
    ]
    assert tell("Where does Ann swim?", *moves) == []


def test_what_comes_just_short_is_told_if_it_has_a_word_of_the_question() -> None:
    reading = make_item(1, "Ann finished reading Emma")
    assert len(tell("Which novel is Ann reading, by chance?", reading)) == 1
    assert tell("Which novel is Ann writing by Emma?", make_item(1, "Ann finished Emma")) == []


def test_what_the_agent_was_asked_is_no_answer() -> None:
    item = make_item(1, 'Ann asked me: "Which tea is good for sleep?" I answered: I named chamomile tea.')
    assert tell("Which tea is good for sleep?", item)[0].startswith("I answered: I named chamomile tea. (")


KNOWN = 'Ann told me: "I know how old the dog is."'
ADOPTED = 'Ann told me: "I took in a dog, Biscuit." I answered: '


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Assistant asked: How old is Biscuit? Ann: She is four."], ["Ann: She is four."]),
        (
            [f"{ADOPTED}How old is the dog Biscuit?", "Ann: How old Biscuit is: four."],
            ["Ann: How old Biscuit is: four."],
        ),
        ([f"{ADOPTED}How exciting! Congratulations!", "Biscuit is an old dog."], ["Biscuit is an old dog."]),
        (
            [f"{ADOPTED}Oh no, sorry to hear about the dog.", "Biscuit is an old dog."],
            ["Biscuit is an old dog."],
        ),
        ([f"{ADOPTED}Congratulations on the dog, Ann!", "Biscuit is an old dog."], ["Biscuit is an old dog."]),
        ([f"{ADOPTED}Old dogs like Biscuit sleep."], ["I answered: Old dogs like Biscuit sleep."]),
        ([f"{KNOWN} I answered: Nice."], [KNOWN]),
        (['Ann asked me: "How old is my dog Biscuit? He barks." I answered: How old do you think?'], []),
    ],
)
def test_courtesies_and_questions_of_the_agent_are_no_answer(texts: list[str], told: list[str]) -> None:
    voices = (Voice("Ann", "user"), Voice("Assistant", "assistant"))
    items = [make_item(number, text, voices=voices) for number, text in enumerate(texts, 1)]
    question = "How old is the dog Biscuit?"
    asked = [line.split(" (told")[0] for line in tell(question, *items)]
    assert asked == told


def test_an_age_is_told_in_years_and_not_by_a_day() -> None:
    [told] = tell("How old is Leo?", make_item(1, "How old Leo is: six years"))
    assert told.startswith("How old Leo is: six years (told ")


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


@pytest.mark.parametrize(
    ("question", "date", "told"),
    [
        ("How many days ago did Alice move?", day(1), "Friday, May 1, 2026 (45 days before)"),
        ("How many weeks ago did Alice move?", day(1), "Friday, May 1, 2026 (6 weeks, 45 days, before)"),
        ("How many months since Alice did move?", day(1), "Friday, May 1, 2026 (1 month, 45 days, before)"),
        (
            "How many years ago did Alice move?",
            day(20).replace(year=2024),
            "Monday, May 20, 2024 (2 years, 756 days, before)",
        ),
        ("How long ago did Alice move?", day(15, month=6), "Monday, June 15, 2026 (the same day)"),
        ("How long ago did Alice move?", day(16, month=6), "Tuesday, June 16, 2026 (1 day after)"),
        ("How many days until Alice did move?", day(17, month=6), "Wednesday, June 17, 2026 (2 days after)"),
        (
            "How many weeks are left before Alice did move?",
            day(30, month=6),
            "Tuesday, June 30, 2026 (2 weeks, 15 days, after)",
        ),
        ("When did Alice move?", day(1), "Friday, May 1, 2026"),
        ("How many days ago did Alice move?", None, "Told Monday, June 15, 2026"),
    ],
)
def test_how_long_ago_is_counted_from_the_question(question: str, date: datetime | None, told: str) -> None:
    assert tell(question, make_item(1, "how many days ago alice did move since", occurred_start=date))[0].startswith(
        f"{told}: "
    )


def test_what_is_asked_for_by_its_distance_is_looked_for_by_its_date() -> None:
    [told] = tell(
        "How many days are there until my exam?", make_item(1, "When is exam", occurred_start=day(17, month=6))
    )
    assert told.startswith("Wednesday, June 17, 2026 (2 days after): ")


EXAM = "Jonas left yesterday (Sunday, June 14, 2026). User has an exam on 24 June (Wednesday, June 24, 2026)."


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("When is the exam that User has?", EXAM, "Wednesday, June 24, 2026: User has an exam on 24 June"),
        ("How many days until User has an exam?", EXAM, "Wednesday, June 24, 2026 (9 days after): User has an exam"),
        ("When is it that Jonas left yesterday?", EXAM, "Sunday, June 14, 2026: Jonas left yesterday"),
        (
            "When is the exam that User has?",
            "Jonas left on 14 June 2026. User has an exam on 24 June 2027.",
            "Thursday, June 24, 2027: User has an exam on 24 June 2027",
        ),
        (
            "When is the exam that User has?",
            "Jonas left yesterday (Sunday, June 14, 2026). User has an exam at school.",
            "Told Monday, June 15, 2026: Jonas left yesterday (Sunday, June 14, 2026). User has an exam at school.",
        ),
        (
            "When is it that she has an exam?",
            "Petra left on 14 June 2026. She has an exam on 24 June 2027.",
            "Thursday, June 24, 2027: Petra left on 14 June 2026. She has an exam",
        ),
        ("When is the exam that User has?", "Jonas left. User has an exam.", "Sunday, June 14, 2026: User has an exam"),
        (
            "Which exam has User?",
            "Jonas left yesterday (Sunday, June 14, 2026). User has an exam at school.",
            "User has an exam at school. (told Monday, June 15, 2026)",
        ),
    ],
)
def test_a_sentence_is_told_with_its_own_date(question: str, text: str, told: str) -> None:
    sunday = day(14, month=6).replace(hour=0, minute=0)
    item = make_item(1, text, occurred_start=sunday, occurred_end=sunday + timedelta(days=1))
    assert tell(question, item)[0].startswith(told)


def test_a_span_of_several_days_is_not_counted_from() -> None:
    month = make_item(1, "Alice did move long ago", occurred_start=day(1), occurred_end=day(31))
    assert "before" not in tell("How long ago did Alice move?", month)[0]


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


CITIES = ["Rome", "Oslo", "Lima", "Faro", "Bern", "Kyoto", "Austin", "Porto", "Graz", "Turin", "Lagos", "Quito"]
COUNT = "How many cities: Caroline visited for a concert?"


def concerts(number: int) -> list[RecallItem]:
    texts = [f"Caroline visited {CITIES[place % 12]}{place} for a concert." for place in range(number)]
    return [make_item(place, text, mentioned_at=day(1 + place % 28)) for place, text in enumerate(texts, 1)]


@pytest.mark.parametrize("most", range(13))
def test_a_count_does_not_hang_on_how_much_the_reranker_had_time_for(most: int) -> None:
    chosen = choose(COUNT, gather(*concerts(12)).memories, HurriedReranker(most), WordEmbedder())
    assert tell_extract(COUNT, chosen, NOW)[0].text == "12 memories match:"
    assert list_shortcomings(COUNT, chosen) == (
        ["The reranker had no time for all that was found: vectors and words decided what is counted."]
        if most < 12
        else []
    )


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("How many trips did I make?", True),
        ("How much did I spend on films?", True),
        ("How much do I pay altogether?", True),
        ("How much is the rent now?", False),
        ("How much did the van cost?", False),
        ("What did the van cost?", False),
    ],
)
def test_one_amount_is_no_count(question: str, *, is_one: bool) -> None:
    assert asks_for_count(question) is is_one


def test_a_count_needs_no_more_time_than_until_nothing_more_comes() -> None:
    others = [make_item(number, f"It rained on day {number}") for number in range(3, 40)]
    chosen = choose(COUNT, gather(*concerts(2), *others).memories, HurriedReranker(15), WordEmbedder())
    assert tell_extract(COUNT, chosen, NOW)[0].text == "At least 2 memories match:"
    assert not chosen.was_short


@pytest.mark.parametrize("question", ["How many boats: Bob sold?", "Which boat was sold by Bob?"])
def test_that_nothing_is_in_memory_does_not_hang_on_how_much_the_reranker_had_time_for(question: str) -> None:
    items = [make_item(number, f"Ann saw a heron near lake {number}") for number in range(1, 31)]
    hurried = choose(question, gather(*items).memories, HurriedReranker(3), WordEmbedder())
    told = tell_extract(question, hurried, NOW)
    assert (told[0].text, len(told)) == (UNSURE, 4)
    assert list_shortcomings(question, hurried) == [
        "The reranker had no time for what was found: the nearest by vectors and words are told."
    ]
    for reranker in (HurriedReranker(20), WordReranker(), NoReranker()):
        assert choose(question, gather(*items).memories, reranker, WordEmbedder()).pieces == ()


def test_what_is_counted_and_not_listed_is_in_the_number() -> None:
    told = tell(COUNT, *concerts(35))
    assert (told[0], len(told)) == ("35 memories match, of which the nearest 20:", 21)


def test_where_not_all_was_looked_at_the_number_is_the_least() -> None:
    chosen = choose(COUNT, gather(*concerts(70)).memories, WordReranker(), WordEmbedder())
    assert tell_extract(COUNT, chosen, NOW)[0].text == "At least 64 memories match, of which the nearest 20:"
    assert list_shortcomings(COUNT, chosen) == [
        "6 of the memories that were found were not looked at for the count.",
        "44 memories that match are counted and not listed.",
    ]


def test_what_a_count_may_lack_is_noted_in_the_trace(memory: Memory, builtin: ReflectTools) -> None:
    for city in CITIES:
        memory.unit(f"Caroline visited {city} for a concert.")
    tools = replace(builtin, recall=replace(builtin.recall, reranker=HurriedReranker(3)))
    result = reflect(memory.bank, ask(COUNT), tools)
    assert result.text.startswith("12 memories match:")
    assert "vectors and words decided" in result.trace.notes[-1]


@pytest.mark.parametrize("question", ["Alice lives where?", "How many: Alice lives"])
@pytest.mark.parametrize("places", [(1, 2), (2, 1)])
def test_a_summary_in_the_words_of_its_fact_is_not_told_beside_it(question: str, places: tuple[int, int]) -> None:
    fact = make_item(1, "Alice lives in Lisbon.")
    summary = make_item(2, "alice lives in Lisbon", network=Network.OBSERVATION)
    gathered = gather(*(item for _, item in sorted(zip(places, (fact, summary), strict=True), key=itemgetter(0))))
    chosen = choose(question, gathered.memories, WordReranker(), WordEmbedder())
    assert [piece.memory.id for piece in chosen.evidence] == [fact.candidate.id]


def test_what_is_counted_is_looked_for_by_what_it_is() -> None:
    asked: list[str] = []

    class Noting(WordReranker):
        def rerank(self, query: str, *given: Any, **options: Any) -> Ranking:
            asked.append(query)
            return super().rerank(query, *given, **options)

    choose("How many bicycles were bought?", gather(make_item(1)).memories, Noting(), WordEmbedder())
    assert set(asked) == {"Which bicycles were bought?"}


def test_what_sums_up_facts_is_not_counted_beside_them() -> None:
    summary = make_item(2, "Alice moved to Lisbon and likes it.", network=Network.OBSERVATION)
    question = "How many times: Alice moved to Lisbon"
    assert tell(question, make_item(1), summary)[0] == "1 memory matches:"
    assert tell(question, summary)[0] == "1 memory matches:"


def test_a_passage_in_the_words_of_a_fact_is_not_told_beside_it() -> None:
    passage = make_item(2, "alice moved to Lisbon", kind="chunk", network=None)
    assert len(tell("Alice moved where?", passage, make_item(1))) == 1
    assert len(tell("Alice moved where?", passage, make_item(1, "Alice moved to Porto."))) == 2


def test_a_sentence_of_a_longer_memory_that_another_has_too_is_told_once() -> None:
    items = [make_item(1, "Alice moved to Lisbon."), make_item(2, "It rained all week. Alice moved to Lisbon.")]
    assert len(tell("Alice moved where?", *items)) == 1


def test_the_same_words_of_another_day_are_another_event() -> None:
    swims = [make_item(number, "Alice went swimming.", occurred_start=day(number)) for number in (1, 8)]
    assert tell("How many times: Alice went swimming", *swims)[0] == "2 memories match:"


def test_a_belief_in_the_words_of_a_fact_is_told_beside_it() -> None:
    belief = make_item(2, "Alice likes tea", network=Network.OPINION, confidence=0.7)
    assert len(tell("What likes Alice tea", make_item(1, "Alice likes tea"), belief)) == 2
    assert len(tell("What likes Alice tea", make_item(1, "Alice likes tea", network=Network.OBSERVATION), belief)) == 2


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
