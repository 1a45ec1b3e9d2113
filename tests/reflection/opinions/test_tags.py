"""An opinion is visible only under the tags that it was formed under."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.enums import Network
from banks.facts import hash_tags
from banks.lifecycle.closing import Closing, close_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, UnitSource, UnitTag
from banks.types import Source
from reflection.opinions import weighing
from reflection.opinions.adopting import RetainedUnits
from reflection.opinions.claims import CandidateOpinion
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.verdicts import NewFact, OpinionQuestion
from reflection.opinions.weighing import HIDDEN_REASON, KEPT_TEXT, MOST_PARTS, group_by_tags
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_chunk, make_message, make_row, make_unit
from tests.reflection.opinions.believing import (
    Said,
    believe,
    check_replay,
    learn,
    read_opinion,
    read_opinions,
    read_steps,
    see,
    try_to_form,
)
from tests.reflection.opinions.believing import adopt as adopt_retained

ANN, BOB = "user:ann", "user:bob"
FERRY = "I think that the Faro ferry is reliable in winter."
IN_OTHER_WORDS = "I think that in winter the Faro ferry is reliable."
OPPOSITE = "I think that the Faro ferry is not reliable in winter."
LIMITED = "I think that the Faro ferry is reliable in winter unless it storms."
SECRET = "Carol hid the money."
ON_TIME = "I think that the Faro ferry is reliable, it was on time."
STORM = "The Faro ferry stayed in the harbour because of a storm."


def fact(bank: Bank, *tags: str) -> UUID:
    return see(bank, f"The Faro ferry was on time for {'-'.join(tags) or 'all'}.", "Faro ferry", tags=tags)


def list_held(bank: Bank) -> list[tuple[str, set[str]]]:
    """Text and tags of all held opinions. Checks the hash of the tags."""
    held = []
    for opinion in read_opinions(bank):
        with tenant_transaction(bank.tenant_id):
            rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
            tags = set(rows.values_list("tag", flat=True))
        assert bytes(opinion.tags_hash) == hash_tags(tags)
        held.append((opinion.text, tags))
    return held


@pytest.mark.parametrize(
    ("evidence", "tags"),
    [
        ([()], set()),
        ([(ANN,)], {ANN}),
        ([(ANN,), ()], {ANN}),
        ([(ANN, "vip"), (), (ANN, "new")], {ANN}),
        ([(ANN,), (BOB, "vip")], {"formed:under-several-tags"}),
    ],
)
def test_an_opinion_of_an_answer_has_the_tags_that_its_evidence_shares(
    bank: Bank, evidence: list[tuple[str, ...]], tags: set[str]
) -> None:
    believe(bank, FERRY, *(fact(bank, *worn) for worn in evidence))
    assert list_held(bank) == [(FERRY, tags)]


def test_an_answer_by_tags_with_only_untagged_evidence_keeps_the_tags_of_the_question(bank: Bank) -> None:
    tea, seen = fact(bank), see(bank, "Carol hid the money.", "Carol", tags=(ANN, "vip"))
    candidate = CandidateOpinion(FERRY, 0.7, "", (tea,), ())
    try_to_form(bank, candidate, shown=[tea, seen], by_tags=True)
    assert list_held(bank) == [(FERRY, {ANN, "vip"})]


@pytest.mark.parametrize(
    ("evidence", "asked", "shown", "tags", "reason"),
    [
        ((), (FERRY, ""), [(ANN, "vip"), ()], {ANN, "vip"}, SECRET),
        ((), (FERRY, ""), [(ANN,), (BOB,)], {"formed:under-several-tags"}, SECRET),
        ((), (FERRY, ""), [()], set(), SECRET),
        ((), (FERRY, "Is it any good in winter?"), [(ANN,)], set(), ""),
        ((), (ON_TIME, ""), [(ANN,)], set(), ""),
        ((BOB,), (FERRY, ""), [(ANN,)], {"formed:under-several-tags"}, SECRET),
        ((BOB,), (FERRY, ""), [(BOB, "vip")], {BOB}, SECRET),
        ((BOB,), (ON_TIME, ""), [(ANN,)], {BOB}, ""),
    ],
)
def test_everything_read_binds_an_opinion_with_words_from_outside_its_evidence(
    bank: Bank,
    evidence: tuple[str, ...],
    asked: tuple[str, str],
    shown: list[tuple[str, ...]],
    tags: set[str],
    reason: str,
) -> None:
    """Even without a tag filter, a word may come from any memory that was read. Narrower scopes see no reasons."""
    text, question = asked
    ground = fact(bank, *evidence)
    read = [see(bank, f"Carol hid the money {place} times.", "Carol", tags=worn) for place, worn in enumerate(shown)]
    candidate = CandidateOpinion(text, 0.7, SECRET, (ground,))
    (formed,) = try_to_form(bank, candidate, shown=[ground, *read], question=question)
    assert list_held(bank) == [(text, tags)]
    assert (formed.reasoning, read_steps(bank, formed.id)[0].reasoning) == (SECRET, reason)


@pytest.mark.parametrize("is_read", [False, True])
def test_a_passage_has_the_tags_of_the_memories_read_from_it(tenant: Tenant, bank: Bank, *, is_read: bool) -> None:
    ground = fact(bank)
    fact(bank, BOB)
    chunk = make_chunk(tenant, bank=bank, text="Carol hid the money.")
    if is_read:
        sources = [Source(0, 5, chunk_id=chunk.id)]
        see(bank, "Carol hid the money.", "Carol", tags=(ANN,), sources=sources)
    try_to_form(bank, CandidateOpinion(FERRY, 0.7, "", (ground,)), shown=[ground, chunk.id])
    assert list_held(bank) == [(FERRY, {ANN} if is_read else {"formed:under-several-tags"})]


def test_an_opinion_on_an_observation_has_its_tags(tenant: Tenant, bank: Bank) -> None:
    observation = make_unit(tenant, bank=bank, network="observation", text="The ferry is on time.", content_hash=b"o")
    make_row(UnitSource, tenant, unit=observation, role="summarises", other_unit_id=fact(bank, ANN))
    believe(bank, FERRY, observation.id)
    assert list_held(bank) == [(FERRY, {ANN})]


def test_a_belief_that_was_named_besides_brings_its_tags(bank: Bank) -> None:
    held = believe(bank, "I think that the night train is cold.", see(bank, "The night train is cold.", tags=(ANN,)))
    believe(bank, FERRY, fact(bank), held.id)
    assert list_held(bank)[1] == (FERRY, {ANN})


@pytest.mark.parametrize("text", [FERRY, IN_OTHER_WORDS])
@pytest.mark.parametrize(("first", "second"), [((ANN,), (BOB,)), ((ANN,), ()), ((), (BOB,)), ((ANN,), (ANN, "vip"))])
def test_under_other_tags_it_is_another_opinion(
    bank: Bank, first: tuple[str, ...], second: tuple[str, ...], text: str
) -> None:
    """A shared row would show one user's words to the others, and follow the tags of one."""
    believe(bank, FERRY, fact(bank, *first))
    again = see(bank, "The Faro ferry was early.", "Faro ferry", tags=second)
    assert believe(bank, text, again).outcome == "formed"
    assert list_held(bank) == [(FERRY, set(first)), (text, set(second))]


@pytest.mark.parametrize("text", [FERRY, IN_OTHER_WORDS])
@pytest.mark.parametrize("tags", [(), (ANN,)])
def test_under_the_same_tags_it_is_said_again(bank: Bank, tags: tuple[str, ...], text: str) -> None:
    believe(bank, FERRY, fact(bank, *tags))
    again = see(bank, "The Faro ferry was early.", "Faro ferry", tags=tags)
    assert believe(bank, text, again).outcome == "restated"
    assert list_held(bank) == [(FERRY, set(tags))]


@pytest.mark.parametrize(("first", "second"), [((ANN,), (BOB,)), ((), (BOB,)), ((ANN,), ())])
def test_the_opposite_under_other_tags_takes_its_place_and_not_its_row(
    bank: Bank, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    old = believe(bank, FERRY, fact(bank, *first))
    new = believe(bank, OPPOSITE, see(bank, "The Faro ferry sank.", "Faro ferry", tags=second))
    assert list_held(bank) == [(OPPOSITE, set(second))]
    assert (read_opinion(bank, old.id).text, read_opinion(bank, old.id).superseded_by_id) == (FERRY, new.id)
    assert any(OPPOSITE in step.reasoning for step in read_steps(bank, old.id)) is not bool(second)
    check_replay(bank, old.id)


def test_the_opposite_under_the_same_tags_goes_on_in_the_row(bank: Bank) -> None:
    old = believe(bank, FERRY, fact(bank, ANN))
    believe(bank, OPPOSITE, see(bank, "The Faro ferry sank.", "Faro ferry", tags=(ANN,)))
    assert list_held(bank) == [(OPPOSITE, {ANN})]
    assert read_opinions(bank)[0].id == old.id


def test_a_pinned_opinion_under_other_tags_is_not_named(bank: Bank) -> None:
    old = believe(bank, FERRY, fact(bank, ANN))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, MemoryUnit.objects.of_bank(bank).get(id=old.id), Review(Act.PIN, "eve", "so it is"))
    sank = see(bank, "The Faro ferry sank.", "Faro ferry", tags=(BOB,))

    formation = try_to_form(bank, CandidateOpinion(OPPOSITE, 0.7, "because", (sank,)))

    assert (list(formation), dict(formation.refused)) == ([], {"pinned": 1})
    assert list_held(bank) == [(FERRY, {ANN})]
    last = read_steps(bank, old.id)[-1]
    assert (last.cause, OPPOSITE in last.reasoning) == ("contradict", False)


@pytest.mark.parametrize(
    ("held", "came", "text"),
    [
        ((ANN,), (BOB,), FERRY),
        ((), (BOB,), FERRY),
        ((ANN, BOB), (BOB,), FERRY),
        ((ANN,), (ANN,), LIMITED),
        ((ANN,), (ANN, "vip"), LIMITED),
        ((ANN,), (), LIMITED),
        ((), (), LIMITED),
    ],
)
def test_a_fact_moves_it_and_rewords_it_only_where_all_may_see_the_fact(
    bank: Bank, held: tuple[str, ...], came: tuple[str, ...], text: str
) -> None:
    opinion = believe(bank, FERRY, fact(bank, *held))
    storm = see(bank, STORM, "Faro ferry", tags=came)

    learn(bank, Said({STORM: "weaken"}, texts={STORM: LIMITED}), storm)

    assert list_held(bank) == [(text, set(held))]
    assert read_opinion(bank, opinion.id).confidence == 0.55
    assert read_steps(bank, opinion.id)[-1].reasoning.endswith(KEPT_TEXT) == (text == FERRY)
    check_replay(bank, opinion.id)


def ask(number: int, *facts: int) -> OpinionQuestion:
    met = tuple(NewFact(UUID(int=fact), "a fact", timezone.now(), timezone.now()) for fact in facts)
    return OpinionQuestion(UUID(int=number), "text", met)


def test_opinions_under_other_tags_are_not_shown_to_the_model_together() -> None:
    tags = {UUID(int=number): frozenset({ANN}) for number in (1, 4, 12)} | {UUID(int=2): frozenset({BOB})}
    tags[UUID(int=13)] = frozenset({BOB})
    questions = [*(ask(number, 11) for number in range(1, 6)), ask(6, 12), ask(7, 12, 11), ask(8, 13), ask(9, 12, 13)]
    questions += [ask(4, 12), ask(1, 13)]
    parts = [[one.opinion_id.int for one in part] for part in group_by_tags(questions, tags)]
    assert sorted(parts) == [[1], [1, 4, 4], [2], [3, 5], [6, 7], [8], [9]]
    many = {UUID(int=number): frozenset({f"user:{number}"}) for number in range(1, 31)}
    asked = [ask(number, 40) for number in range(1, 31)]
    assert [len(part) for part in group_by_tags(asked, many)] == [*[1] * MOST_PARTS, 30 - MOST_PARTS]


@pytest.mark.parametrize("parts", [MOST_PARTS, 0])
def test_an_opinion_assessed_beside_facts_of_others_keeps_its_words_and_no_reason(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, parts: int
) -> None:
    """Above a number of sets of tags the pairs share a call, so a verdict's reason may hold words of other facts."""
    monkeypatch.setattr(weighing, "MOST_PARTS", parts)
    carol = believe(bank, "I think that Carol is reliable.", see(bank, "Carol came early.", "Carol"))
    ferry = believe(bank, FERRY, fact(bank))
    missed = see(bank, "Carol missed a deadline.", "Carol", tags=(ANN,))
    storm = see(bank, STORM, "Faro ferry")
    learn(bank, Said({STORM: "weaken", "Carol missed a deadline.": "weaken"}, texts={STORM: LIMITED}), missed, storm)
    assert read_opinion(bank, ferry.id).confidence == read_opinion(bank, carol.id).confidence == 0.55
    assert read_opinion(bank, ferry.id).text == (LIMITED if parts else FERRY)
    hidden = f"{HIDDEN_REASON} {KEPT_TEXT}"
    assert read_steps(bank, ferry.id)[-1].reasoning == (f"as {STORM} shows" if parts else hidden)
    assert read_steps(bank, carol.id)[-1].reasoning == "as Carol missed a deadline. shows"


def hear(tenant: Tenant, bank: Bank, text: str, *tags: str, confidence: float = 0.7) -> UUID:
    message = make_message(tenant, bank=bank, role="assistant", content=text)
    sources = [Source(0, 5, message_id=message.id)]
    return see(bank, text, "Faro ferry", network=Network.OPINION, confidence=confidence, sources=sources, tags=tags)


def adopt(bank: Bank, *new: UUID, closed: tuple[UUID, ...] = ()) -> int:
    return adopt_retained(bank, RetainedUnits(new, superseded=closed)).formed


@pytest.mark.parametrize(
    ("text", "tags", "held"),
    [
        (FERRY, (BOB,), [(FERRY, {ANN}), (FERRY, {BOB})]),
        (FERRY, (), [(FERRY, {ANN}), (FERRY, set())]),
        (IN_OTHER_WORDS, (ANN,), [(FERRY, {ANN})]),
        (IN_OTHER_WORDS, (BOB,), [(FERRY, {ANN}), (IN_OTHER_WORDS, {BOB})]),
        (IN_OTHER_WORDS, (), [(FERRY, {ANN}), (IN_OTHER_WORDS, set())]),
        (OPPOSITE, (BOB,), [(OPPOSITE, {BOB})]),
        (OPPOSITE, (ANN,), [(OPPOSITE, {ANN})]),
        (OPPOSITE, (), [(OPPOSITE, set())]),
    ],
)
def test_a_restated_opinion_joins_by_the_same_rules(
    tenant: Tenant, bank: Bank, text: str, tags: tuple[str, ...], held: list[tuple[str, set[str]]]
) -> None:
    first = hear(tenant, bank, FERRY, ANN)
    adopt(bank, first)
    second = hear(tenant, bank, text, *tags)
    adopt(bank, second)
    assert list_held(bank) == held
    for opinion in read_opinions(bank):
        check_replay(bank, opinion.id)
    is_turned_in_place = text == OPPOSITE and tags == (ANN,)
    assert (read_opinion(bank, first).text == FERRY) is not is_turned_in_place


def close_for(bank: Bank, old: UUID, new: UUID) -> None:
    """Close the old opinion as retain does after a model's decision."""
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(old, new, timezone.now())], now=timezone.now(), actor="retain")


WRECK = "I think that the Faro ferry is a wreck."


def test_an_opinion_that_retain_closed_for_one_under_other_tags_gets_a_revision(tenant: Tenant, bank: Bank) -> None:
    first = hear(tenant, bank, FERRY, ANN)
    adopt(bank, first)
    second = hear(tenant, bank, WRECK, BOB)
    close_for(bank, first, second)
    for formed in (1, 0):
        assert adopt(bank, second, closed=(first,)) == formed
        assert list_held(bank) == [(WRECK, {BOB})]
        old, step = read_opinion(bank, first), read_steps(bank, first)[-1]
        assert (old.text, old.confidence, old.superseded_by_id) == (FERRY, 0.4, second)
        assert (step.number, step.cause, step.evidence_id) == (2, "contradict", second)
        assert step.reasoning == "The agent thinks otherwise by now."
        check_replay(bank, first)


@pytest.mark.parametrize("other", [None, FERRY])
def test_a_pinned_opinion_is_not_closed_by_a_statement_under_other_tags(
    tenant: Tenant, bank: Bank, other: str | None
) -> None:
    """Neither is the unit that would have been closed with it."""
    first = hear(tenant, bank, "I think that the Faro ferry runs well.", ANN)
    closed = [first, *([hear(tenant, bank, other, BOB)] if other else [])]
    adopt(bank, *closed)
    pin(bank, first)
    held = list_held(bank)
    second = hear(tenant, bank, WRECK, BOB)
    for one in closed:
        close_for(bank, one, second)
    for _ in range(2):
        assert adopt(bank, second, closed=tuple(reversed(closed))) == 0
        assert list_held(bank) == held
        assert [step.cause for step in read_steps(bank, first)] == ["formed", "pinned", "contradict"]
        step = read_steps(bank, first)[-1]
        assert (step.step, step.evidence_id, "wreck" in step.reasoning) == (0.0, second, False)
        for one in closed:
            check_replay(bank, one)


def test_a_backdated_opinion_closes_nothing(tenant: Tenant, bank: Bank) -> None:
    held = hear(tenant, bank, FERRY, ANN)
    adopt(bank, held)
    pin(bank, held)
    late = hear(tenant, bank, WRECK, ANN)
    close_for(bank, late, held)
    adopt(bank, late, closed=(late,))
    assert list_held(bank) == [(FERRY, {ANN})]
    assert [step.cause for one in (held, late) for step in read_steps(bank, one)] == ["formed", "pinned", "formed"]


def pin(bank: Bank, opinion_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, read_opinion(bank, opinion_id), Review(Act.PIN, "lea", "sure"))
