"""Deleting evidence undoes its effect on confidence and removes its words."""

from uuid import UUID

import pytest
from django.utils import timezone

from banks.lifecycle.deleting import delete_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions.catching_up import catch_up
from reflection.opinions.history import FORMATION, find_stance
from reflection.opinions.lost_evidence import ALL_GONE, Withdrawn, has_lost_evidence, withdraw_lost_evidence
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.rewording import embed_opinions
from reflection.opinions.weighing import Tools
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import (
    Said,
    believe,
    check_replay,
    learn,
    list_causes,
    read_opinion,
    read_steps,
    see,
)
from tests.reflection.opinions.losing import delete, is_there

OPINION = "I think Python is the best."
SECRET = "Zelda's laboratory gave up Python."
REWORDED = "Python is good, though Zelda's laboratory gave it up."


@pytest.fixture
def opinion_id(bank: Bank) -> UUID:
    return believe(bank, OPINION, see(bank, "Most notebooks are written in Python.", "Python")).id


def move(bank: Bank, text: str, verdict: str, *, to: str = "") -> UUID:
    fact = see(bank, text, "Python")
    learn(bank, Said({text: verdict}, texts={text: to} if to else None), fact)
    return fact


def test_its_effect_on_confidence_is_undone(bank: Bank, opinion_id: UUID) -> None:
    good = move(bank, "Python grew.", "reinforce")
    move(bank, "Python is slow.", "weaken")
    assert delete(bank, good) == Withdrawn(1, 0)
    assert read_opinion(bank, opinion_id).confidence == 0.55
    assert list_causes(bank, opinion_id) == ["formed", "reinforce", "weaken", "withdrawn"]
    taken_back = read_steps(bank, opinion_id)[1]
    assert (taken_back.withdrawn, taken_back.reasoning, taken_back.evidence_id) == (True, "", None)
    check_replay(bank, opinion_id)


def test_the_wording_of_deleted_evidence_is_removed(bank: Bank, opinion_id: UUID) -> None:
    secret = move(bank, SECRET, "contradict", to=REWORDED)
    move(bank, "Python is slow.", "weaken", to=f"{REWORDED} It is slow, too.")
    assert delete(bank, secret) == Withdrawn(1, 1)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence, opinion.embedding) == (OPINION, 0.7, None)
    check_replay(bank, opinion_id)
    with tenant_transaction(bank.tenant_id):
        rows = OpinionRevision.objects.of_bank(bank).values_list("text_before", "text_after", "reasoning")
        assert "Zelda" not in str(list(rows))


@pytest.mark.parametrize("verdict", ["contradict", "reinforce"])
def test_a_verdict_on_a_removed_wording_is_withdrawn_and_its_fact_can_be_assessed_again(
    bank: Bank, opinion_id: UUID, verdict: str
) -> None:
    secret = move(bank, SECRET, "contradict", to=REWORDED)
    fact = move(bank, "Zelda's rival took Python up.", verdict)
    delete(bank, secret)
    assert read_opinion(bank, opinion_id).confidence == 0.7
    *_, judged, over = read_steps(bank, opinion_id)
    assert (judged.withdrawn, find_stance(judged, FORMATION, text=OPINION)) == (True, "former")
    assert over.reasoning == "Takes back 2: evidence was deleted. Takes back 3 too: that was of a wording that went."
    check_replay(bank, opinion_id)
    embed_opinions(bank, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    learn(bank, Said({"Zelda's rival took Python up.": "reinforce"}), fact)
    assert read_opinion(bank, opinion_id).confidence == 0.85
    check_replay(bank, opinion_id)


def test_a_later_text_of_a_person_stays(bank: Bank, opinion_id: UUID) -> None:
    secret = move(bank, SECRET, "contradict", to=REWORDED)
    with tenant_transaction(bank.tenant_id):
        last = read_steps(bank, opinion_id)[-1]
        MemoryUnit.objects.of_bank(bank).filter(id=opinion_id).update(text="Python is fine.", confidence=0.9)
        OpinionRevision.objects.for_tenant(bank.tenant_id).create(
            bank=bank,
            opinion_id=opinion_id,
            number=last.number + 1,
            cause="edited",
            confidence_before=last.confidence_after,
            confidence_after=0.9,
            text_before=last.text_after,
            text_after="Python is fine.",
            actor="test",
        )
    delete(bank, secret)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == ("Python is fine.", 0.9)
    check_replay(bank, opinion_id)


def test_an_edit_of_the_words_alone_leaves_the_confidence_to_the_evidence(bank: Bank, opinion_id: UUID) -> None:
    bad = move(bank, "Python is slow.", "contradict")
    text = "I think Python is quite the best."
    act(bank, opinion_id, Review(Act.EDIT, "lea", "wording", text))
    delete(bank, bad)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == (text, 0.7)
    assert read_steps(bank, opinion_id)[-1].reasoning == "Takes back 2: evidence was deleted."
    check_replay(bank, opinion_id)


def test_a_text_that_went_back_gets_its_vector_later(bank: Bank, opinion_id: UUID) -> None:
    before = list(read_opinion(bank, opinion_id).embedding)
    secret = move(bank, SECRET, "contradict", to=REWORDED)
    delete(bank, secret)
    usage = embed_opinions(bank, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    assert list(read_opinion(bank, opinion_id).embedding) == before
    assert embed_opinions(bank, get_embedder(), lambda: tenant_transaction(bank.tenant_id)).calls == 0
    assert usage.calls


def test_an_opinion_is_deleted_with_all_its_evidence(bank: Bank) -> None:
    ground = see(bank, "Most notebooks are written in Python.", "Python")
    opinion = believe(bank, OPINION, ground)
    good = move(bank, "Python grew.", "reinforce")
    move(bank, "Python is slow.", "weaken")
    delete(bank, ground)
    assert read_opinion(bank, opinion.id).confidence == 0.7
    delete(bank, good)
    assert not is_there(bank, opinion.id)
    with tenant_transaction(bank.tenant_id):
        assert not OpinionRevision.objects.of_bank(bank).exists()


def test_a_pinned_opinion_outlives_its_evidence_and_its_history_says_so(bank: Bank) -> None:
    ground = see(bank, "Most notebooks are written in Python.", "Python")
    opinion = believe(bank, OPINION, ground)
    good = move(bank, "Python grew.", "reinforce")
    pin(bank, opinion.id)
    assert delete(bank, ground) == Withdrawn(1)
    assert delete(bank, good) == Withdrawn(1, 0, 1)
    held = read_opinion(bank, opinion.id)
    assert (held.text, held.confidence, held.review, held.expired_at) == (OPINION, 0.7, "pinned", None)
    assert list_causes(bank, opinion.id) == ["formed", "reinforce", "pinned", *["withdrawn"] * 3]
    assert (read_steps(bank, opinion.id)[-1].reasoning, read_steps(bank, opinion.id)[-1].actor) == (
        ALL_GONE,
        "deletion",
    )
    check_replay(bank, opinion.id)
    with tenant_transaction(bank.tenant_id):
        assert not has_lost_evidence(bank)
        assert withdraw_lost_evidence(bank, now=timezone.now()) == Withdrawn()


def test_a_pinned_opinion_without_its_original_evidence_stays_too(bank: Bank) -> None:
    ground = see(bank, "Most notebooks are written in Python.", "Python")
    opinion = believe(bank, OPINION, ground)
    pin(bank, opinion.id)
    assert delete(bank, ground) == Withdrawn(1, 0, 1)
    assert [one.reasoning for one in read_steps(bank, opinion.id)[2:]] == [
        "Leaves 1 standing: evidence was deleted.",
        ALL_GONE,
    ]
    with tenant_transaction(bank.tenant_id):
        assert not has_lost_evidence(bank)


@pytest.mark.parametrize("verdict", ["neutral", "reinforce"])
def test_an_unpinned_opinion_is_deleted_unless_it_has_new_evidence(bank: Bank, verdict: str) -> None:
    ground = see(bank, "Most notebooks are written in Python.", "Python")
    opinion = believe(bank, OPINION, ground)
    pin(bank, opinion.id)
    delete(bank, ground)
    see(bank, "Python grew.", "Python")
    act(bank, opinion.id, Review(Act.UNPIN, "lea", "unsure"))
    tools = Tools(Said({"Python grew.": verdict}), get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    for _ in range(2 if verdict == "reinforce" else 1):
        catch_up(bank, opinion.id, tools, now=timezone.now(), find_unfinished=lambda _: ())
        assert is_there(bank, opinion.id) == (verdict == "reinforce")


def pin(bank: Bank, opinion_id: UUID) -> None:
    act(bank, opinion_id, Review(Act.PIN, "lea", "sure"))


def act(bank: Bank, opinion_id: UUID, review: Review) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, read_opinion(bank, opinion_id), review)


def test_the_revision_names_the_actor_of_the_deletion(bank: Bank, opinion_id: UUID) -> None:
    good = move(bank, "Python grew.", "reinforce")
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, {good})
        withdraw_lost_evidence(bank, now=timezone.now(), actor="api_key:abc")
    assert read_steps(bank, opinion_id)[-1].actor == "api_key:abc"


def test_it_is_done_once(bank: Bank, opinion_id: UUID) -> None:
    good = move(bank, "Python grew.", "reinforce")
    delete(bank, good)
    with tenant_transaction(bank.tenant_id):
        assert not has_lost_evidence(bank)
        assert withdraw_lost_evidence(bank, now=timezone.now()) == Withdrawn()
