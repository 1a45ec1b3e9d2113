from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banks.entities.names.compare import compare_names, is_namesake
from banks.entities.names.likeness import EXACT
from banks.entities.resolution.scoring import ALPHA, BETA, GAMMA, Thresholds, resolve, score
from banks.entities.types import Verdict
from banks.enums import EntityKind
from tests.banks.entities.sample import make_candidate, make_id, make_mention

_names = st.one_of(
    st.text(alphabet=st.characters(), max_size=30),
    st.sampled_from(
        ["Alice", "Alice Chen", "A. Chen", "Dr Smith", "iPhone 12", "NYC", "New York City", "Мария", "Bob"]
    ),
)
_kinds = st.sampled_from(EntityKind)


@given(_names, _names, _kinds, _kinds)
def test_an_entity_with_exactly_the_name_is_a_namesake(
    one: str, other: str, kind: EntityKind, other_kind: EntityKind
) -> None:
    is_exact = compare_names(one, kind, other, other_kind).value == EXACT
    assert is_namesake(one, other) or not is_exact


@pytest.mark.parametrize("pair", [("Dr Smith", "Prof. Smith"), ("the Beatles", "Beatles"), ("Acme Inc", "ACME")])
def test_titles_articles_and_legal_forms_make_no_other_namesake(pair: tuple[str, str]) -> None:
    assert is_namesake(*pair)


def test_the_very_name_is_taken_whoever_else_comes_near() -> None:
    others = [make_candidate(name, is_speaker=True) for name in ("Alice Chen", "Alicia", "Alise")]
    decision = resolve(make_mention("Alice"), [*others, make_candidate("Alice")])
    assert (decision.verdict, decision.entity_id) == ("same", make_id("Alice"))


def test_the_total_is_the_weighted_sum_of_its_parts() -> None:
    found = score(
        make_mention("Bob", companions=("Eve", "Zed"), days_later=30), make_candidate("Robert", companions=("Eve",))
    )
    assert found.total == pytest.approx(ALPHA * found.string + BETA * 0.5 + GAMMA * 0.5)
    assert pytest.approx(1.0) == ALPHA + BETA + GAMMA


def test_company_carries_a_doubtful_name_over_the_threshold() -> None:
    known = make_candidate("John Smith", companions=("Eve",))
    assert resolve(make_mention("Smith", days_later=20), [known]).verdict == "ask"
    assert resolve(make_mention("Smith", companions=("Eve",), days_later=20), [known]).verdict == "same"


def test_a_speaker_is_preferred_among_near_equals() -> None:
    speaker = make_candidate("Alice Chen", is_speaker=True)
    decision = resolve(make_mention("Alice"), [make_candidate("Alice Cooper"), speaker])
    assert decision.entity_id == speaker.id


def test_thresholds_can_be_moved() -> None:
    mention, candidate = make_mention("Bob"), make_candidate("Robert")
    assert resolve(mention, [candidate], thresholds=Thresholds(same=0.99)).verdict == "ask"
    assert resolve(mention, [candidate], thresholds=Thresholds(same=0.99, ask=0.98)).verdict == "new"


def test_with_no_candidates_a_name_is_new() -> None:
    decision = resolve(make_mention("Alice"), [])
    assert (decision.verdict, decision.entity_id, decision.score) == ("new", None, None)


@given(_names, _kinds, _names, _kinds)
def test_likeness_is_symmetric_and_bounded(one: str, one_kind: EntityKind, other: str, other_kind: EntityKind) -> None:
    there = compare_names(one, one_kind, other, other_kind)
    back = compare_names(other, other_kind, one, one_kind)
    assert (there.value, there.veto) == (back.value, back.veto)
    assert 0.0 <= there.value <= 1.0


@given(st.lists(_names, min_size=1, max_size=6, unique=True), _names)
def test_the_order_of_candidates_does_not_matter(known: list[str], name: str) -> None:
    candidates = [make_candidate(text.encode("utf-8", "replace").decode() or "?") for text in known]
    shuffled = sorted(candidates, key=lambda candidate: candidate.canonical_name[::-1])
    decisions = [resolve(make_mention(name), order) for order in (candidates, shuffled)]
    assert decisions[0] == decisions[1]
    assert decisions[0].verdict in get_args(Verdict)
