"""The preferred places to cut a text."""

import json

import pytest

from banks.chunking.text import chunk_text
from tests.banks.chunking.prose import make_paragraphs

FENCE = "```python\n" + "value = compute(1)\n" * 40 + "```"
TABLE = "\n".join(f"| row {number} | {'x' * 20} |" for number in range(24))


def read_chunks(text: str) -> list[str]:
    return [chunk.read(text) for chunk in chunk_text(text)]


def test_paragraphs_are_preferred_to_sentences() -> None:
    paragraphs = make_paragraphs(40)
    chunks = read_chunks("\n\n".join(paragraphs))
    assert all(any(chunk.endswith(paragraph) for paragraph in paragraphs) for chunk in chunks)


def test_sentences_are_preferred_to_lines() -> None:
    text = "A sentence that is broken\nover a line. It goes on.  " * 100
    assert all(chunk.endswith(".") for chunk in read_chunks(text))
    assert all(chunk.startswith(("A sentence", "It goes")) for chunk in read_chunks(text))


def test_lines_are_preferred_to_words() -> None:
    text = "one entry without a full stop\n" * 200
    assert all(set(chunk.split("\n")) == {"one entry without a full stop"} for chunk in read_chunks(text))


def test_words_are_preferred_to_letters() -> None:
    assert all(set(chunk.split(" ")) == {"unpunctuated"} for chunk in read_chunks("unpunctuated " * 500))


@pytest.mark.parametrize("abbreviated", ["Dr. Alder", "J. Birch", "at 9 a.m. Cedar", "e.g. Stone"])
def test_an_abbreviation_ends_no_sentence(abbreviated: str) -> None:
    text = f"They met {abbreviated} by the lake and talked. " * 100
    assert all(chunk.endswith("talked.") for chunk in read_chunks(text))


def test_wide_punctuation_ends_a_sentence_without_a_blank() -> None:
    text = "今天天气很好。我们去公园吧\uff01" * 300
    assert all(chunk.endswith(("。", "\uff01")) for chunk in read_chunks(text))


def test_a_heading_stays_with_the_following_text() -> None:
    text = "\n\n".join(f"## Part {number}\n\n{paragraph}" for number, paragraph in enumerate(make_paragraphs(60)))
    chunks = read_chunks(text)
    assert len(chunks) > 10
    assert not any(chunk.splitlines()[-1].startswith("#") for chunk in chunks)


@pytest.mark.parametrize("block", [FENCE, TABLE])
@pytest.mark.parametrize("lead", [100, 300, 500, 700, 900, 1100, 1300, 1500])
def test_a_code_fence_or_table_that_fits_is_whole_in_a_chunk(block: str, lead: int) -> None:
    text = f"{'A few words. ' * (lead // 13)}\n\n{block}\n\n{'More words follow. ' * 60}"
    assert any(block in chunk for chunk in read_chunks(text))


def test_a_code_fence_that_needs_a_whole_chunk_gets_it() -> None:
    block = "```\n" + "value = compute(1)\n" * 83 + "```"
    text = f"{'A few words. ' * 40}\n\n{block}\n\n{'More words follow. ' * 60}"
    assert len(block) > 1500
    assert any(chunk.startswith(block) for chunk in read_chunks(text))


def test_a_code_fence_that_is_too_long_is_cut_between_lines() -> None:
    block = "```\n" + "\n".join(f"line_{number} = 'a b. C d'" for number in range(300)) + "\n```"
    lines = set(block.split("\n"))
    assert all(set(chunk.split("\n")) <= lines for chunk in read_chunks(block))


def test_an_unclosed_fence_is_ignored() -> None:
    text = "```\n" + "\n\n".join(make_paragraphs(40))
    assert all(chunk.endswith(".") for chunk in read_chunks(text))


@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_cut_between_elements(indent: int | None) -> None:
    records = [{"id": number, "note": 'A "quoted", [bracketed] text. ' * 3} for number in range(100)]
    chunks = read_chunks(json.dumps(records, indent=indent))
    assert len(chunks) > 5
    for chunk in chunks:
        assert json.loads("[" + chunk.strip("[], \n") + "]")


def test_json_lines_are_cut_between_records() -> None:
    lines = [json.dumps({"id": number, "note": "A text, and more. " * 4}) for number in range(100)]
    assert all(set(chunk.split("\n")) <= set(lines) for chunk in read_chunks("\n".join(lines)))


def test_a_json_string_that_is_too_long_is_cut_between_sentences() -> None:
    text = json.dumps({"short": 1, "long": "A sentence of the string. " * 400, "last": 2})
    chunks = read_chunks(text)
    assert len(chunks) > 5
    assert all(chunk.endswith(".") for chunk in chunks[:-2])


def test_a_text_that_only_begins_like_json_is_read_as_text() -> None:
    text = "[1] " + "\n\n".join(make_paragraphs(40))
    assert all(chunk.endswith(".") for chunk in read_chunks(text))
