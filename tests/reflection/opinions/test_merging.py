"""Two opinions become one: they say the same, or the agent no longer holds one of them."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, UnitSource
from reflection.opinions.merging import merge_opinions
from reflection.opinions.revisions import Author
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import (
    Matched,
    Said,
    believe,
    check_replay,
    learn,
    read_opinion,
    read_opinions,
    see,
)
from tests.reflection.opinions.losing import delete, list_evidence, read_everything

QUIET, ASKED, DARED = (
    "Petra said nothing all evening.",
    "Petra asked twice for a break.",
    "Petra climbed the north face.",
)
SHY = "I think that Petra is shy."


@pytest.fixture
def shy(bank: Bank) -> UUID:
    return believe(bank, SHY, see(bank, QUIET, "Petra"), see(bank, ASKED, "Petra"), entities=("Petra",)).id


@pytest.fixture
def bold(bank: Bank) -> UUID:
    """Worded so that it does not reverse the first opinion; both can be held together."""
    return believe(bank, "I think that Petra dares to do much.", see(bank, DARED, "Petra"), entities=("Petra",)).id


def list_sources(bank: Bank, opinion_id: UUID) -> set[str]:
    with tenant_transaction(bank.tenant_id):
        rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, other_unit__isnull=False)
        return {text for text in rows.values_list("other_unit__text", flat=True) if text}


def test_evidence_for_the_former_opinion_is_no_evidence_for_its_successor(bank: Bank, shy: UUID, bold: UUID) -> None:
    jumped = see(bank, "Petra jumped from the bridge.", "Petra")
    mind = "Previously I thought that Petra is shy, but now I think that Petra dares to do much."
    matcher = Matched(same=[(mind, read_opinion(bank, bold).text)])
    assert believe(bank, mind, jumped, entities=("Petra",), matcher=matcher).id == bold

    assert [one.id for one in read_opinions(bank)] == [bold]
    assert list_sources(bank, bold) == {DARED, "Petra jumped from the bridge."}
    assert list_evidence(bank, bold)[-1] == ("reinforce", [jumped])
    assert read_opinion(bank, shy).superseded_by_id == bold

    quiet = see(bank, QUIET, "Petra")
    assert learn(bank, Said({QUIET: "weaken"}), quiet).moved == 1
    assert read_opinion(bank, bold).confidence == pytest.approx(0.7)
    check_replay(bank, bold)


def test_a_fact_that_turns_an_opinion_into_another_is_still_weighed_on_that(bank: Bank, shy: UUID, bold: UUID) -> None:
    text = read_opinion(bank, bold).text
    led = see(bank, "Petra led the whole tour.", "Petra")
    learn(bank, Said({"Petra led the whole tour.": "contradict"}, texts={"Petra led the whole tour.": text}), led)
    assert read_opinion(bank, shy).superseded_by_id == bold
    assert not {QUIET, ASKED} & list_sources(bank, bold)
    assert QUIET not in str(list_evidence(bank, bold))
    check_replay(bank, bold)


def test_a_word_of_a_deleted_fact_stays_in_neither_of_two_merged_opinions(bank: Bank) -> None:
    ill, brave = see(bank, "Lea has leukemia.", "Lea"), see(bank, "Lea is brave and calm.", "Lea")
    older = believe(bank, "I think that Lea is brave with her leukemia.", ill, brave, entities=("Lea",))
    newer = believe(bank, "I find that leukemia never made a coward of calm Lea.", ill, brave, entities=("Lea",))
    assert older.id != newer.id
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        standing, other = read_opinion(bank, older.id), read_opinion(bank, newer.id)
        merge_opinions(Author(bank, "test", timezone.now()), standing, other)

    delete(bank, ill)

    assert "leukemia" not in read_everything(bank)


def test_evidence_against_one_of_two_merged_opinions_can_be_assessed_again(bank: Bank, shy: UUID) -> None:
    shouted = "Petra shouted at a policeman."
    shouting = see(bank, shouted, "Petra")
    learn(bank, Said({shouted: "contradict"}), shouting)
    sang = see(bank, "Petra sang alone on the stage.", "Petra")
    mind = "Previously I thought that Petra is shy, but now I think that Petra is bold."
    assert believe(bank, mind, sang, entities=("Petra",)).id == shy
    whispered = see(bank, "Petra whispered to the waiter.", "Petra")
    again = believe(bank, SHY, whispered, entities=("Petra",)).id
    assert again != shy

    delete(bank, sang)

    assert [one.id for one in read_opinions(bank)] == [again]
    cause, evidence = list_evidence(bank, again)[-1]
    assert (cause, shy in evidence, shouting in evidence, len(evidence)) == ("restated", True, False, 3)
    assert read_opinion(bank, again).confidence == pytest.approx(0.7)
    assert learn(bank, Said({shouted: "contradict"}), shouting).moved == 1
    assert read_opinion(bank, again).confidence == pytest.approx(0.4)
    check_replay(bank, again)
