"""An edit changes few chunks, so few are extracted again."""

import random

import pytest

from banks.chunking.spans import hash_chunk
from banks.chunking.text import chunk_text
from tests.banks.chunking.prose import make_paragraphs

PARAGRAPHS = make_paragraphs(200, seed=5)
TEXT = "\n\n".join(PARAGRAPHS)


def hash_chunks(text: str) -> list[str]:
    return [hash_chunk(chunk.read(text)) for chunk in chunk_text(text)]


def count_new(before: str, after: str) -> int:
    known = set(hash_chunks(before))
    return sum(hashed not in known for hashed in hash_chunks(after))


def test_a_sentence_at_the_start_changes_few_chunks() -> None:
    changed = [
        count_new(text, "A new sentence stands here. " + text)
        for seed in range(20)
        for text in ["\n\n".join(make_paragraphs(200, seed=seed))]
    ]
    assert sum(changed) / len(changed) < 3
    assert max(changed) < 12


def test_an_appended_paragraph_changes_only_the_end() -> None:
    assert count_new(TEXT, f"{TEXT}\n\nAnother paragraph.") <= 2
    assert hash_chunks(TEXT)[:-1] == hash_chunks(f"{TEXT}\n\nAnother paragraph.")[: len(hash_chunks(TEXT)) - 1]


@pytest.mark.parametrize("place", [0, 40, 120, 199])
def test_an_edited_paragraph_changes_only_the_chunks_near_it(place: int) -> None:
    edited = [*PARAGRAPHS[:place], "Something else altogether.", *PARAGRAPHS[place + 1 :]]
    assert 0 < count_new(TEXT, "\n\n".join(edited)) <= 4


@pytest.mark.parametrize("separator", [" ", "\n"])
def test_a_text_of_one_paragraph_finds_back_to_its_cuts(separator: str) -> None:
    text = separator.join(PARAGRAPHS)
    assert count_new(text, "New words. " + text) <= 4


def test_a_text_without_blanks_finds_back_to_its_cuts() -> None:
    dice = random.Random(3)  # noqa: S311 - the same text every time
    text = "".join(dice.choices("abcdefghijklmnop", k=50_000))
    assert count_new(text, "new" + text) <= 4


def test_the_hash_is_blind_to_blanks_and_forms_of_a_letter_only() -> None:
    assert hash_chunk("a  caf\u00e9\r\n") == hash_chunk("a cafe\u0301")
    assert hash_chunk("A cafe") != hash_chunk("a cafe")
    assert hash_chunk("\ud800") != hash_chunk("\ud801")
    assert len(hash_chunk("")) == 64
