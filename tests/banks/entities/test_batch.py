from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from banks.entities.resolution.batch import resolve_all
from banks.entities.types import Decision
from banks.enums import EntityKind
from tests.banks.entities.sample import make_candidate, make_id, make_mention


def _clusters(names: list[str], decisions: list[Decision]) -> set[frozenset[str]]:
    groups: dict[object, set[str]] = {}
    for place, (name, decision) in enumerate(zip(names, decisions, strict=True)):
        own = decision.entity_id if decision.verdict == "same" else None
        key = own or (place if decision.same_as is None else decision.same_as)
        groups.setdefault(key, set()).add(name)
    return {frozenset(group) for group in groups.values()}


def test_two_spellings_in_one_call_are_one_new_entity() -> None:
    decisions = resolve_all([make_mention("Mel"), make_mention("Melanie"), make_mention("Paul")], [])
    assert [(d.verdict, d.same_as) for d in decisions] == [("new", None), ("same", 0), ("new", None)]


def test_a_name_that_is_repeated_has_its_first_mention_as_leader() -> None:
    decisions = resolve_all([make_mention("Paul"), make_mention("PAUL"), make_mention("Paul's")], [])
    assert [(d.verdict, d.same_as) for d in decisions] == [("new", None), ("same", 0), ("same", 0)]


def test_known_entities_are_found_before_new_ones_are_made() -> None:
    decisions = resolve_all([make_mention("Bob"), make_mention("Bobby")], [make_candidate("Robert")])
    assert {(d.verdict, d.entity_id) for d in decisions} == {("same", make_id("Robert"))}


def test_a_first_name_that_two_people_of_the_call_share_is_a_separate_entity() -> None:
    names = ["Alice", "Alice Chen", "Alice Cooper"]
    assert _clusters(names, resolve_all(list(map(make_mention, names)), [])) == {frozenset({name}) for name in names}


def test_a_full_name_does_not_take_a_known_first_name_without_company() -> None:
    (waits,) = resolve_all([make_mention("Tom Waits")], [make_candidate("Tom")])
    assert waits.verdict != "same"


def test_two_names_in_one_fact_of_the_call_are_two_people() -> None:
    mentions = [make_mention("Mel", companions=("Melanie",)), make_mention("Melanie", companions=("Mel",))]
    assert [d.verdict for d in resolve_all(mentions, [])] == ["new", "new"]


def test_a_mention_without_a_kind_joins_the_one_with_a_kind() -> None:
    mentions = [make_mention("Acme", EntityKind.OTHER), make_mention("Acme Inc", EntityKind.ORGANIZATION)]
    assert [d.same_as for d in resolve_all(mentions, [])] == [1, None]


def test_every_order_of_the_mentions_gives_the_same_entities() -> None:
    names = ["Mel", "Melanie", "Bob", "Robert Chen", "Alice"]
    found = {
        frozenset(_clusters(list(order), resolve_all(list(map(make_mention, order)), [make_candidate("Alice Chen")])))
        for order in permutations(names)
    }
    assert found == {
        frozenset({frozenset({"Mel", "Melanie"}), frozenset({"Bob"}), frozenset({"Robert Chen"}), frozenset({"Alice"})})
    }


@given(
    st.lists(st.sampled_from(["Al", "Alan", "Albert", "A. Chen", "Alan Chen", "NYC", "Zoe", "zoe", "Zoé"]), max_size=8)
)
def test_same_as_points_at_a_mention_with_its_own_entity(names: list[str]) -> None:
    decisions = resolve_all(list(map(make_mention, names)), [])
    assert len(decisions) == len(names)
    leaders = {d.same_as for d in decisions if d.same_as is not None}
    assert all(decisions[leader].same_as is None and decisions[leader].verdict != "same" for leader in leaders)
