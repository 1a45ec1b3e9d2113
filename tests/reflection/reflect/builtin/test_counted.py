"""What a count takes for one of the things that are counted."""

import pytest

from reflection.reflect.builtin.asker import find_asker
from reflection.reflect.builtin.counted import leave_out_uncounted
from reflection.reflect.builtin.others_doings import is_of_another
from reflection.reflect.builtin.pieces import Piece
from retrieval.types import RecallItem, Voice
from tests.reflection.reflect.remembered import day, gather, make_item


def say(number: int, text: str) -> RecallItem:
    return make_item(number, f"Ann: {text}", voices=(Voice("Ann", "user"),))


def count(question: str, *items: RecallItem) -> list[int]:
    memories = gather(*items).memories
    asker = find_asker(question, memories)
    return [piece.memory.label for piece in leave_out_uncounted(asker, [Piece(one, one.item.text) for one in memories])]


def takes_for_anothers(question: str, text: str) -> bool:
    memories = gather(say(1, text)).memories
    return is_of_another(find_asker(question, memories), Piece(memories[0], memories[0].item.text))


@pytest.mark.parametrize(
    ("question", "text", "counts"),
    [
        ("How many races did I run?", "Ann ran a race in Bonn.", True),
        ("How many races did I run?", "Ann cancelled Ann's race in Ulm.", False),
        ("How many races did I cancel?", "Ann cancelled Ann's race in Ulm.", True),
        ("How many races did Ann cancel?", "Ann cancelled Ann's race in Ulm.", True),
        ("How many pets do I have?", "Ann gave the hamster away.", False),
        ("How many cars did I buy?", "Ann sold the car that Ann bought in May.", True),
        ("How many times did I fly?", "Ann plans to fly to Cairo.", False),
        ("How many trips am I planning to take?", "Ann plans to fly to Cairo.", True),
        ("How many jobs do I have?", "Ann sells cars.", True),
        ("How many books have I read?", "Ann is still reading Dune.", False),
        ("How many books have I read?", "Ann is reading Dune now.", False),
        ("How many books have I read?", "Ann is half way through Dune.", False),
        ("How many books have I read?", "Ann still remembers reading Dune.", True),
        ("How many books am I reading?", "Ann is still reading Dune.", True),
        ("How many cities have I visited?", "Ann lives in Braga now.", False),
        ("How many cities have I been to?", "Ann moved to Porto.", False),
        ("How many cities have I visited?", "Ann visited Faro, where Ann's sister lives in a boat.", True),
        ("How many cities have I lived in?", "Ann lived in Porto.", True),
    ],
)
def test_what_is_over_or_only_meant_is_not_counted_unless_asked_for(question: str, text: str, *, counts: bool) -> None:
    assert (count(question, say(1, text)) == [1]) is counts


def test_what_is_told_again_is_counted_once_unless_times_are() -> None:
    told = [say(1, "Ann watched Alien."), say(2, "Ann watched Heat."), say(3, "Ann watched Alien again.")]
    assert count("How many films did I watch?", *told) == [1, 2]
    assert count("How many times did I watch Alien?", *told) == [1, 2, 3]
    assert count("How much did I spend on films?", *told) == [1, 2, 3]


def test_what_has_dates_of_its_own_or_says_no_more_than_the_question_is_told_apart() -> None:
    dated = [make_item(number, "Ann flew to Oslo.", occurred_start=day(number)) for number in (1, 8)]
    assert count("How many trips were there?", *dated) == [1, 2]
    assert count("How many bikes did Ann buy?", make_item(1, "Ann bikes"), make_item(2, "Ann: bikes again")) == [1, 2]


@pytest.mark.parametrize(
    ("question", "text", "is_anothers"),
    [
        ("Where do I work?", "Ann's brother Nils works in Graz.", True),
        ("Where do I work?", "Ann works in Graz.", False),
        ("Where do I work?", "Ann's son works in Graz.", True),
        ("Where do I work?", "Ann's landlady works in Graz.", True),
        ("How many bikes do I have?", "Ann's friend Tom has a bike.", True),
        ("How many bikes do I have?", "Tom has a bike.", True),
        ("How many children do I have?", "Ann's son Leo has a bike.", False),
        ("How many cats do I have?", "Ann's cat has a cold.", False),
        ("Which class did I take?", "Rosa took a boxing class.", True),
        ("Who did I sell my bike to?", "Tom bought Ann's bike.", False),
        ("What did I give Tom?", "Tom gave Ann a book.", False),
        ("What does my brother do?", "Ann's brother does card tricks.", False),
        ("Which projects am I leading?", "Maria leads Athena.", True),
        ("Where was I born?", "Tom was born in Graz.", True),
    ],
)
def test_what_another_does_is_not_the_askers(question: str, text: str, *, is_anothers: bool) -> None:
    assert takes_for_anothers(question, text) is is_anothers
