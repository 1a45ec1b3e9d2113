"""An opinion is seen under the tags that it was formed under: its words go to nobody else."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.lifecycle.close import Closing, close_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, UnitSource, UnitTag
from banks.retain.prepared import Source, hash_tags
from banks.words import Network
from providers.registry import get_embedder
from reflection.opinions.forming.adopting import Heard, adopt_opinions
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.types import CandidateOpinion
from reflection.opinions.weighing.reinforcing import KEPT
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_message, make_row, make_unit
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
from tests.reflection.opinions.losing import delete

ANN, BOB = "user:ann", "user:bob"
FERRY = "I think that the Faro ferry is reliable in winter."
IN_OTHER_WORDS = "I think that in winter the Faro ferry is reliable."
OPPOSITE = "I think that the Faro ferry is not reliable in winter."
CHANGED = f"Previously I thought that the Faro ferry is reliable in winter, but now {OPPOSITE}"
LIMITED = "I think that the Faro ferry is reliable in winter unless it storms."
STORM = "The Faro ferry stayed in the harbour because of a storm."


def fact(bank: Bank, *tags: str) -> UUID:
    return see(bank, f"The Faro ferry was on time for {'-'.join(tags) or 'all'}.", "Faro ferry", tags=tags)


def list_held(bank: Bank) -> list[tuple[str, set[str]]]:
    """Text and tags of all that is held; the hash is that of the tags."""
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


def test_what_rests_on_an_observation_has_its_tags(tenant: Tenant, bank: Bank) -> None:
    observation = make_unit(tenant, bank=bank, network="observation", text="The ferry is on time.", content_hash=b"o")
    make_row(UnitSource, tenant, unit=observation, role="summarises", other_unit_id=fact(bank, ANN))
    believe(bank, FERRY, observation.id)
    assert list_held(bank) == [(FERRY, {ANN})]


def test_a_belief_that_was_named_besides_brings_its_tags(bank: Bank) -> None:
    held = believe(bank, "I think that the night train is cold.", see(bank, "The night train is cold.", tags=(ANN,)))
    believe(bank, FERRY, fact(bank), held.id)
    assert list_held(bank)[1] == (FERRY, {ANN})


@pytest.mark.parametrize(
    ("first", "second", "tags"),
    [
        ((ANN,), (BOB,), {ANN, BOB}),
        ((ANN,), (), set()),
        ((), (BOB,), set()),
        ((ANN,), (ANN,), {ANN}),
    ],
)
def test_said_again_in_its_words_it_is_seen_by_those_too(
    bank: Bank, first: tuple[str, ...], second: tuple[str, ...], tags: set[str]
) -> None:
    believe(bank, FERRY, fact(bank, *first))
    again = see(bank, "The Faro ferry was early.", "Faro ferry", tags=second)
    assert believe(bank, FERRY, again).outcome == "restated"
    assert list_held(bank) == [(FERRY, tags)]


@pytest.mark.parametrize(
    ("first", "second", "held"),
    [
        ((ANN,), (BOB,), [(FERRY, {ANN}), (IN_OTHER_WORDS, {BOB})]),
        ((ANN,), (), [(FERRY, {ANN}), (IN_OTHER_WORDS, set())]),
        ((), (BOB,), [(FERRY, set())]),
        ((ANN,), (ANN,), [(FERRY, {ANN})]),
    ],
)
def test_in_other_words_it_is_another_unless_its_words_may_be_seen(
    bank: Bank, first: tuple[str, ...], second: tuple[str, ...], held: list[tuple[str, set[str]]]
) -> None:
    believe(bank, FERRY, fact(bank, *first))
    again = see(bank, "The Faro ferry was early.", "Faro ferry", tags=second)
    formed = believe(bank, IN_OTHER_WORDS, again)
    assert list_held(bank) == held
    assert formed.text == held[-1][0]


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


@pytest.mark.parametrize("second", [(BOB,), ()])
def test_words_that_come_back_with_lost_evidence_are_seen_under_the_first_tags(
    bank: Bank, second: tuple[str, ...]
) -> None:
    believe(bank, FERRY, fact(bank, ANN))
    storm = see(bank, STORM, "Faro ferry", tags=(ANN,))
    learn(bank, Said({STORM: "weaken"}, texts={STORM: LIMITED}), storm)
    believe(bank, LIMITED, see(bank, "In storms the Faro ferry stays.", "Faro ferry", tags=second))
    assert list_held(bank) == [(LIMITED, {ANN, *second} if second else set())]

    delete(bank, storm)

    assert list_held(bank) == [(FERRY, {ANN})]


def test_what_was_pinned_under_other_tags_is_not_told(bank: Bank) -> None:
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
    assert read_steps(bank, opinion.id)[-1].reasoning.endswith(KEPT) == (text == FERRY)
    check_replay(bank, opinion.id)


def hear(tenant: Tenant, bank: Bank, text: str, *tags: str, confidence: float = 0.7) -> UUID:
    message = make_message(tenant, bank=bank, role="assistant", content=text)
    sources = [Source(0, 5, message_id=message.id)]
    return see(bank, text, "Faro ferry", network=Network.OPINION, confidence=confidence, sources=sources, tags=tags)


def adopt(bank: Bank, *new: UUID, closed: tuple[UUID, ...] = ()) -> int:
    write = lambda: tenant_transaction(bank.tenant_id)  # noqa: E731  # one line of the call below
    heard = Heard(new, closed=closed)
    return adopt_opinions(bank, heard, embedder=get_embedder(), write=write, now=timezone.now()).formed


@pytest.mark.parametrize(
    ("text", "tags", "held"),
    [
        (FERRY, (BOB,), [(FERRY, {ANN, BOB})]),
        (FERRY, (), [(FERRY, set())]),
        (IN_OTHER_WORDS, (ANN,), [(FERRY, {ANN})]),
        (IN_OTHER_WORDS, (BOB,), [(FERRY, {ANN}), (IN_OTHER_WORDS, {BOB})]),
        (IN_OTHER_WORDS, (), [(FERRY, {ANN}), (IN_OTHER_WORDS, set())]),
        (OPPOSITE, (BOB,), [(OPPOSITE, {BOB})]),
        (OPPOSITE, (ANN,), [(OPPOSITE, {ANN})]),
        (CHANGED, (BOB,), [(OPPOSITE, {BOB})]),
        (CHANGED, (ANN,), [(OPPOSITE, {ANN})]),
        (CHANGED, (), [(OPPOSITE, set())]),
    ],
)
def test_what_is_heard_again_joins_by_the_same_rules(
    tenant: Tenant, bank: Bank, text: str, tags: tuple[str, ...], held: list[tuple[str, set[str]]]
) -> None:
    first = hear(tenant, bank, FERRY, ANN)
    adopt(bank, first)
    second = hear(tenant, bank, text, *tags)
    adopt(bank, second)
    assert list_held(bank) == held
    for opinion in read_opinions(bank):
        check_replay(bank, opinion.id)
    is_turned_in_place = text in {OPPOSITE, CHANGED} and tags == (ANN,)
    assert (read_opinion(bank, first).text == FERRY) is not is_turned_in_place


def test_what_retain_closed_for_one_under_other_tags_stays_closed(tenant: Tenant, bank: Bank) -> None:
    first = hear(tenant, bank, FERRY, ANN)
    adopt(bank, first)
    second = hear(tenant, bank, "I think that the Faro ferry is a wreck.", BOB)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(first, second, timezone.now())], now=timezone.now(), actor="retain")
    assert adopt(bank, second, closed=(first,)) == 1
    assert list_held(bank) == [("I think that the Faro ferry is a wreck.", {BOB})]
    assert read_opinion(bank, first).text == FERRY
