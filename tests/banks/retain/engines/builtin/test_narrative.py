from datetime import UTC, datetime
from itertools import pairwise

import pytest

from banks.retain.engines.builtin.engine import BuiltinEngine
from banks.retain.types import CauseType, FoundEntity
from banks.words import EntityKind, Kind, Mode, Network
from tests.banks.retain.engines.builtin.talk import make_passage, told


def test_a_turn_is_told_with_its_speaker_and_the_date() -> None:
    (fact,) = told("Ann: I went to a choir rehearsal in Lisbon yesterday.")
    assert fact.text == "Ann: Ann went to a choir rehearsal in Lisbon yesterday (Sunday, May 7, 2023)."
    assert fact.network is Network.WORLD
    assert fact.kind is Kind.EVENT
    assert fact.occurred_start == datetime(2023, 5, 7, tzinfo=UTC)
    assert fact.occurred_end == datetime(2023, 5, 8, tzinfo=UTC)
    assert fact.dimensions.when == "Sunday, May 7, 2023"
    assert fact.dimensions.where == "Lisbon"
    assert {FoundEntity("Ann", EntityKind.PERSON), FoundEntity("Lisbon", EntityKind.LOCATION)} <= set(fact.entities)


def test_an_answer_carries_the_question_and_quotes_only_itself() -> None:
    facts = told("Tom: That looks lovely. How long have you been married?", "Ann: Five years already!")
    assert facts[1].text == "Tom asked: How long has Ann been married? Ann: Five years already!"
    assert [(quote.turn, quote.start, quote.end) for quote in facts[1].quotes] == [(1, 0, len("Five years already!"))]


def test_a_turn_without_a_date_is_a_conversation() -> None:
    (fact,) = told("Ann: My garden has old pear trees.")
    assert fact.kind is Kind.CONVERSATION
    assert fact.occurred_start is None


@pytest.mark.parametrize(
    "line", ["Ann: Hey Tom! Good to see you! How have you been?", "Ann: Thanks! Take care, bye!", "Ann: \U0001f44d"]
)
def test_a_greeting_alone_is_no_fact(line: str) -> None:
    assert told(line, "Tom: I bought a boat.")[0].quotes[0].turn == 1


@pytest.mark.parametrize(
    "line", ["Ann: See you tomorrow!", "Ann: Great, 5!", "Ann: Nice! [shares a photo: a red door]", "Ann: Hi, I quit."]
)
def test_a_greeting_with_something_in_it_is_kept(line: str) -> None:
    assert told(line)[0].quotes[0].turn == 0


def test_yes_is_kept_where_it_answers() -> None:
    facts = told("Tom: Did the doctor call the landlord?", "Ann: Yeah!")
    assert facts[-1].text.endswith("Ann: Yeah!")


def test_you_is_nobody_among_three() -> None:
    facts = told("Tom: I sold the boat.", "Bea: Good choice, that boat leaked.", "Ann: Did you get a fair price?")
    assert facts[-1].text == "Ann: Did you get a fair price?"


def test_the_agent_speaks_in_the_first_person_and_says_what_was_asked() -> None:
    facts = told("Ann: Book a table for two at Nonna's.", "Agent: I booked a table at Nonna's for Friday at 7 pm.")
    assert facts[1].network is Network.EXPERIENCE
    assert facts[1].text.startswith('Ann asked me: "Book a table for two at Nonna\'s." I answered: I booked a table')


def test_a_judgement_of_the_agent_is_an_opinion_beside_what_it_did() -> None:
    facts = told(
        "Ann: Which language suits the parser?", "Agent: I compared three languages. I think Rust is the best fit."
    )
    (opinion,) = [fact for fact in facts if fact.network is Network.OPINION]
    assert opinion.text == "I think Rust is the best fit."
    assert opinion.confidence == 0.7
    assert (
        make_passage("Agent: I compared three languages. I think Rust is the best fit.")
        .turns[0]
        .text[opinion.quotes[0].start : opinion.quotes[0].end]
        == "I think Rust is the best fit."
    )
    assert [fact.network for fact in facts if fact.quotes[0].turn == 1] == [Network.EXPERIENCE, Network.OPINION]


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ("I think the Falter tent is a good buy because it is light.", ""),
        ("I think that the Falter tent is a good buy.", ""),
        ("In my opinion, it is a good buy.", 'Ann asked me: "Which tent should I buy?" '),
    ],
)
def test_an_opinion_stands_without_the_question_unless_nothing_else_says_what_is_meant(said: str, before: str) -> None:
    facts = told("Ann: Which tent should I buy?", f"Agent: {said}")
    (opinion,) = [fact for fact in facts if fact.network is Network.OPINION]
    assert opinion.text == f"{before}{said}"
    assert "Ann" not in {entity.name for entity in opinion.entities}


def test_a_persons_opinion_is_part_of_the_world() -> None:
    (fact,) = told("Ann: I think Rust is the best language.")
    assert fact.network is Network.WORLD
    assert fact.confidence is None


def test_a_long_turn_becomes_passages_that_cover_it() -> None:
    text = "\n\n".join(
        f"{number}. Paragraph {number} tells about the harvest of {'grapes ' * 20}." for number in range(12)
    )
    facts = told(f"Ann: {text}")
    spans = [(quote.start, quote.end) for fact in facts for quote in fact.quotes]
    assert len(facts) > 1
    assert all(end - start <= 800 for start, end in spans)
    gaps = [text[before[1] : after[0]] for before, after in pairwise(spans)]
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(not gap.strip() for gap in gaps)


def test_a_cause_in_another_turn_is_linked() -> None:
    facts = told(
        "Ann: The roof of the old barn collapsed in the storm.",
        "Tom: Oh dear, what a pity for the whole village.",
        "Ann: I sold the horses because the barn roof collapsed.",
    )
    (cause,) = facts[2].causes
    assert (cause.target, cause.type) == (0, CauseType.CAUSED_BY)
    assert facts[2].dimensions.why == "the barn roof collapsed"


def test_the_answer_to_why_causes_what_was_asked_about() -> None:
    facts = told(
        "Ann: I quit the orchestra.", "Tom: Oh no, why did you quit?", "Ann: The conductor was rude to everybody."
    )
    (cause,) = facts[-1].causes
    assert (cause.target, cause.type) == (0, CauseType.CAUSES)


def test_another_language_is_kept_without_rewriting() -> None:
    facts = told("Ana: Me encanta vivir en Madrid con mi perro y mis dos hermanas mayores.")
    assert facts[0].text == "Ana: Me encanta vivir en Madrid con mi perro y mis dos hermanas mayores."


def test_a_document_has_no_speaker_in_front() -> None:
    passage = make_passage("Author: The bridge was opened in 1932 by the mayor of Sydney.", is_document=True)
    (fact,) = BuiltinEngine().extract(passage, mode=Mode.NARRATIVE).facts
    assert fact.text == "The bridge was opened in 1932 by the mayor of Sydney."
    assert fact.network is Network.WORLD


def test_verbatim_keeps_every_turn_as_it_was_said() -> None:
    facts = told("Ann: Hi Tom!", "Tom: I went home yesterday.", mode=Mode.VERBATIM)
    assert [fact.text for fact in facts] == [
        "Ann (May 8, 2023): Hi Tom!",
        "Tom (May 8, 2023): I went home yesterday.",
    ]
    assert facts[1].occurred_start == datetime(2023, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize("line", ["Ann: -", "Ann: \u2026", "Ann: * * *"])
def test_what_has_no_word_is_no_fact_even_as_an_answer(line: str) -> None:
    for mode in (Mode.NARRATIVE, Mode.VERBATIM):
        assert [fact.quotes[0].turn for fact in told("Tom: What did the doctor say?", line, mode=mode)] == [0]


def test_how_an_agent_is_to_behave_is_no_fact() -> None:
    lines = ("System: You are a travel agent. The user lives in Rome.", "Ann: I bought a boat.")
    for mode in (Mode.NARRATIVE, Mode.VERBATIM):
        assert [fact.quotes[0].turn for fact in told(*lines, mode=mode)] == [1]


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("Tool: The parcel of Ann was delivered to the neighbour on May 3, 2023.", 1),
        ('Tool: {"status": 200, "items": [{"id": 17, "price": 3.5}]}', 0),
        ("Tool: 200 OK", 0),
    ],
)
def test_a_tool_tells_a_fact_in_sentences_and_not_in_data(line: str, facts: int) -> None:
    assert len(told(line)) == facts


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("My flight was cancelled last night.", "I rebooked the flight for Friday."),
        ("Hooli pays by credit card.", "Noted."),
        ("Mein Gewicht ist jetzt 87 Kilo.", "Danke, ich habe es notiert."),
    ],
)
def test_what_an_agent_is_told_was_not_asked(said: str, answer: str) -> None:
    assert told(f"Ann: {said}", f"Agent: {answer}")[-1].text.startswith(f'Ann told me: "{said}" I answered: ')


def test_of_a_long_turn_what_is_quoted_tells_whether_it_was_asked() -> None:
    long = "Ann: Please listen. " + "The weather was mild and nothing much happened on that afternoon. " * 5
    assert told(f"{long} The shop pays by card.", "Agent: I noted it.")[-1].text.startswith("Ann told me: ")
    assert told(f"{long} Who pays? The shop does.", "Agent: I noted it.")[-1].text.startswith("Ann asked me: ")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Please, a table for two.", "I booked the table for Friday."),
        ("I want a table.", "I booked the table for Friday."),
        ("Is there a table?", "I booked the table for Friday."),
        ("Bitte einen Tisch für zwei.", "Ich habe den Tisch für Freitag gebucht."),
        ("Wie ist das Wetter", "Es ist kalt und wird nicht besser."),
    ],
)
def test_what_an_agent_is_asked_for_was_asked(said: str, answer: str) -> None:
    assert told(f"Ann: {said}", f"Agent: {answer}")[-1].text.startswith("Ann asked me: ")
