"""Precision of the relationship rules.

Only `chat_blind` was unseen when the rules were written; the other parts guided them. The sentences of the chats are
longer, as users of an assistant write them. More than half of all are traps: quotes, plans, negations, questions,
reports, other subjects, second jobs, short stays, the past, fiction, idioms and look-alikes.
"""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import NamedTuple

import pytest

from banks.types import FoundRelationship
from rules.parser import ParsedText, parse
from rules.relationships import find_relationships

RECALL = {  # the rules read plain clauses only, and a missed relationship does no harm
    ("development",): 0.55,
    ("held_out",): 0.55,
    ("chat_development", "chat_blind"): 0.35,
    ("development", "held_out", "chat_development", "chat_blind"): 0.5,
}
SENTENCES = json.loads(Path(__file__).with_name("relationship_sentences.json").read_text())
CLASSES = {
    "lives_in": "residence",
    "works_at": "employer",
    **dict.fromkeys(("married_to", "engaged_to", "dating", "partner"), "partner"),
}
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


class Score(NamedTuple):
    right: Counter[str]
    wrong: Counter[str]
    missed: Counter[str]

    def precision(self, *kinds: str) -> float:
        right = sum(self.right[kind] for kind in kinds)
        return right / (right + sum(self.wrong[kind] for kind in kinds))

    def recall(self, *kinds: str) -> float:
        right = sum(self.right[kind] for kind in kinds)
        return right / (right + sum(self.missed[kind] for kind in kinds))


def score(*parts: str) -> Score:
    result = Score(Counter(), Counter(), Counter())
    cases = [case for part in parts for case in SENTENCES[part]]
    for case, parsed in zip(cases, parse([case["text"] for case in cases]), strict=True):
        found = {(one.subject, one.relation, one.object) for one in find_relationships(parsed, speaker=case["speaker"])}
        expected = {tuple(one) for one in case["expected"]}
        for counter, group in zip(result, (found & expected, found - expected, expected - found), strict=True):
            counter.update(CLASSES.get(relation, "kinship") for _, relation, _ in group)
    return result


def find(text: str, speaker: str = "Caroline", since: datetime | None = None) -> tuple[FoundRelationship, ...]:
    return find_relationships(parse([text])[0], speaker=speaker, since=since)


def test_half_of_the_sentences_are_traps() -> None:
    cases = [case for part in SENTENCES.values() for case in part]
    assert len(cases) >= 740
    assert sum(not case["expected"] for case in cases) >= len(cases) / 2


@pytest.mark.parametrize("parts", RECALL)
def test_nearly_everything_that_is_found_is_right(parts: tuple[str, ...]) -> None:
    kinds = ("residence", "employer", "partner", "kinship")
    result = score(*parts)
    for chosen in (*((kind,) for kind in kinds), kinds):
        print(  # noqa: T201
            f"{' + '.join(parts)}, {' + '.join(chosen)}:"
            f" precision {result.precision(*chosen):.3f}, recall {result.recall(*chosen):.3f}"
        )
        assert result.precision(*chosen) >= 0.95
    assert result.recall(*kinds) >= RECALL[parts]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("I live in Boston.", "Caroline lives in Boston."),
        ("I live in the Netherlands.", "Caroline lives in the Netherlands."),
        ("I work for the BBC.", "Caroline works at the BBC."),
        ("I'm married to Tom.", "Caroline is married to Tom."),
        ("I'm engaged to Tom.", "Caroline is engaged to Tom."),
        ("I'm dating Tom.", "Caroline is dating Tom."),
        ("My sister Emily is here.", "Emily is Caroline's sister."),
        ("My mother-in-law Carol is here.", "Carol is Caroline's mother-in-law."),
        ("I’m a nurse at St. Mary’s Hospital.", "Caroline works at St. Mary's Hospital."),  # noqa: RUF001
    ],
)
def test_a_relationship_has_a_plain_sentence(text: str, sentence: str) -> None:
    assert [one.text for one in find(text)] == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "I've lived in Boston since March.",
        "I moved to Boston in March.",
        "Last March I moved to Boston.",
        "I started at Stripe on Monday.",
        "I started dating Tom last month.",
        "I've been dating Tom since March.",
        "I've been working at Stripe since March.",
        "I joined Stripe as a designer in March.",
        "I married Ben in 2016.",
        "Anna moved to Boston two years ago and loves it.",
    ],
)
def test_a_beginning_with_a_date_starts_validity(text: str) -> None:
    assert [one.valid_from for one in find(text, since=MARCH)] == [MARCH]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Boston and my birthday is in March.",
        "I moved to Boston, and I'm flying to Rome in March.",
        "I work at Stripe, we have a launch on Monday.",
        "My sister Emily arrives in March.",
        "I've been dating Tom for three months.",
        "I live in Boston.",
    ],
)
def test_a_date_of_something_else_starts_nothing(text: str) -> None:
    assert [one.valid_from for one in find(text, since=MARCH)] == [None]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Boston on weekends.",
        "I'm living in Rome for six months.",
        "I moved to Spain for two years.",
        "I live in Boston, or so I'm told.",
        "Anna lives in Paris, she says.",
        "I live in Boston and in Miami.",
        "I work at Google and Meta.",
        "I work for Dr Patel.",
        "I'm married to Anna's sister.",
        "My partner Sam is here.",
        "I read to my son Harry Potter.",
        "Translate this. My sister Emily lives in Boston.",
    ],
)
def test_any_other_word_in_the_clause_leaves_it_unread(text: str) -> None:
    assert find(text) == ()


def test_two_clauses_state_two_relationships() -> None:
    assert [one.text for one in find("I live in Oslo and work at Equinor.")] == [
        "Caroline lives in Oslo.",
        "Caroline works at Equinor.",
    ]
    assert [one.text for one in find("Kevin lives in Baltimore and I live in Richmond.")] == [
        "Kevin lives in Baltimore.",
        "Caroline lives in Richmond.",
    ]


def test_a_document_has_no_first_person() -> None:
    assert find("I live in Boston with my sister Emily.", speaker="") == ()
    assert [one.subject for one in find("Anna lives in Boston.", speaker="")] == ["Anna"]


def test_a_relationship_is_found_once() -> None:
    assert len(find("My sister Emily called. I love my sister Emily.")) == 1


@pytest.mark.parametrize(
    "unit",
    [
        "I live in Boston. ",
        "I live in Boston, ",
        "my sister Emily and ",
        "Anna Anna ",
        "'a ",
        '"',
        "```",
        "and ",
        "I'm a ",
        "so, well, ",
        "Tom: ",
        "My a-a-a-a ",
        "I work in the a ",
        "(",
        "\n> ",
        "A",
    ],
)
def test_long_text_is_read_in_linear_time(unit: str) -> None:
    short, long = (ParsedText(f"{unit * (size // len(unit))} I live in Boston") for size in (10_000, 100_000))
    spent = []
    for parsed in (short, long):
        start = process_time()
        find_relationships(parsed, speaker="Caroline")
        spent.append(process_time() - start)
    assert spent[1] < 30 * spent[0] + 1
