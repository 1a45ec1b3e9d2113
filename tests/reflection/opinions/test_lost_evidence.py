"""Lost evidence: an opinion returns to the confidence of its remaining evidence, and the lost words are removed."""

from collections.abc import Sequence
from uuid import UUID

import pytest
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank
from providers.registry import get_embedder
from reflection.models import Opinion, RevisionEvidence
from reflection.models.opinions import Concern
from reflection.opinions.catching_up import catch_up
from reflection.opinions.claims import CandidateOpinion
from reflection.opinions.lost_evidence import STAYS_RETIRED, Withdrawn
from reflection.opinions.merging import merge_opinions
from reflection.opinions.review import Act, Review, review_opinion
from reflection.opinions.revisions import Author, add_missing_evidence
from reflection.opinions.rewording import embed_opinions
from reflection.opinions.verdicts import Assessments, OpinionQuestion
from reflection.opinions.weighing import Tools
from tenants.transactions import tenant_transaction
from tests.reflection.opinions.believing import (
    Matched,
    Said,
    believe,
    check_replay,
    form,
    learn,
    list_causes,
    read_opinion,
    read_opinions,
    read_steps,
    see,
)
from tests.reflection.opinions.losing import (
    correct,
    delete,
    edit,
    is_there,
    list_evidence,
    merge,
    read_everything,
    restore,
)

OPINION = "I think that the Faro ferry is reliable."
ROUND = "The Faro ferry was on time all year."
LATE = "The Faro ferry was late because the captain Zelda drank."
WORDED = "I think that the Faro ferry is reliable unless Zelda drank."
TURNED = (
    "Previously I thought that the Faro ferry is reliable, but now I think that the Faro ferry is bad: Zelda drank."
)


@pytest.fixture
def ground(bank: Bank) -> UUID:
    return see(bank, ROUND, "Faro ferry")


@pytest.fixture
def opinion_id(bank: Bank, ground: UUID) -> UUID:
    return believe(bank, OPINION, ground).id


def tell(bank: Bank, text: str) -> UUID:
    return see(bank, text, "Faro ferry")


def review(bank: Bank, opinion_id: UUID, act: Act, text: str | None = None) -> None:
    vector = get_embedder().embed_documents([text]).vectors[0] if text else None
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, read_opinion(bank, opinion_id), Review(act, "lea", "sure", text), vector=vector)


def find_concern(bank: Bank, concern: Concern) -> list[UUID]:
    with tenant_transaction(bank.tenant_id):
        return [opinion.id for opinion in Opinion.objects.of_bank(bank).concerning(concern)]


def test_every_step_names_all_that_it_came_from(bank: Bank, ground: UUID, opinion_id: UUID) -> None:
    june, july = tell(bank, "The Faro ferry was on time in June."), tell(bank, "The Faro ferry was on time in July.")
    believe(bank, OPINION, ground, june, july)
    late = tell(bank, LATE)
    believe(bank, TURNED, late, july, confidence=0.6)
    assert list_evidence(bank, opinion_id) == [
        ("formed", [ground]),
        ("reinforce", [june, july]),
        ("revised", [late, july]),
    ]
    check_replay(bank, opinion_id)


@pytest.mark.parametrize("first", [True, False])
def test_a_revision_with_another_fact_keeps_its_effect(
    bank: Bank, ground: UUID, opinion_id: UUID, *, first: bool
) -> None:
    june, july = tell(bank, "The Faro ferry was on time in June."), tell(bank, "The Faro ferry was on time in July.")
    believe(bank, OPINION, june, july)
    gone, left = (june, july) if first else (july, june)
    assert delete(bank, gone) == Withdrawn(1)
    assert read_opinion(bank, opinion_id).confidence == 0.85
    assert list_evidence(bank, opinion_id) == [("formed", [ground]), ("reinforce", [left]), ("withdrawn", [])]
    moved, told = read_steps(bank, opinion_id)[1:]
    assert (moved.withdrawn, moved.reasoning, moved.evidence_id, told.reasoning) == (
        False,
        "",
        left,
        "Leaves 2 standing: evidence was deleted.",
    )
    delete(bank, left)
    assert read_opinion(bank, opinion_id).confidence == 0.7
    check_replay(bank, opinion_id)


def test_a_reversal_is_withdrawn_with_its_evidence(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    assert believe(bank, TURNED, late, confidence=0.6).outcome == "revised"
    assert delete(bank, late) == Withdrawn(1, 1)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence, opinion.embedding) == (OPINION, 0.7, None)
    assert "Zelda" not in read_everything(bank)
    check_replay(bank, opinion_id)


@pytest.mark.parametrize("gone", [0, 1])
def test_words_that_came_from_two_facts_go_with_either(bank: Bank, opinion_id: UUID, gone: int) -> None:
    texts = [LATE, "The Faro ferry was late in the fog of Zambujeira."]
    facts = [tell(bank, text) for text in texts]
    worded = "I think that the Faro ferry is reliable unless Zelda drank or Zambujeira has fog."
    learn(bank, Said(dict.fromkeys(texts, "weaken"), texts={texts[1]: worded}), *facts)
    assert read_opinion(bank, opinion_id).text == worded
    delete(bank, facts[gone])
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == (OPINION, 0.55)
    assert ("Zelda", "Zambujeira")[gone] not in read_everything(bank)
    check_replay(bank, opinion_id)


def test_words_that_the_other_facts_cover_stay(bank: Bank, opinion_id: UUID) -> None:
    texts = [LATE, "Zelda drank again, and the Faro ferry came never."]
    facts = [tell(bank, text) for text in texts]
    learn(bank, Said(dict.fromkeys(texts, "weaken"), texts={texts[1]: WORDED}), *facts)
    delete(bank, facts[0])
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == (WORDED, 0.55)
    check_replay(bank, opinion_id)


def test_a_fact_that_is_deleted_while_it_is_weighed_brings_no_word_in(bank: Bank, opinion_id: UUID) -> None:
    other = "The Faro ferry was late on Monday."
    facts = [tell(bank, LATE), tell(bank, other)]

    class Deleting(Said):
        def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
            answered = super().assess(questions)
            delete(bank, facts[0])
            return answered

    said = Deleting({LATE: "contradict", other: "weaken"}, texts={LATE: WORDED})
    assert learn(bank, said, *facts).moved == 1
    assert [len(question.facts) for question in said.asked] == [2, 1]
    assert (read_opinion(bank, opinion_id).text, list_causes(bank, opinion_id)) == (OPINION, ["formed", "weaken"])
    assert "Zelda" not in read_everything(bank)


def test_an_opinion_is_deleted_if_its_remaining_evidence_does_not_cover_its_words(bank: Bank) -> None:
    ill, home = see(bank, "Lea was diagnosed with leukemia.", "Lea"), see(bank, "Lea lives in Oslo.", "Lea")
    opinion = believe(bank, "I think Lea bears her leukemia bravely.", ill, home)
    assert delete(bank, ill) == Withdrawn(1, deleted=1)
    assert not is_there(bank, opinion.id)
    assert "leukemia" not in read_everything(bank)


def test_an_opinion_stays_if_its_remaining_evidence_covers_its_words(bank: Bank, ground: UUID) -> None:
    other = tell(bank, "The Faro ferry won a prize.")
    opinion = believe(bank, OPINION, ground, other)
    assert delete(bank, ground) == Withdrawn(1)
    formed, told = read_steps(bank, opinion.id)
    assert (formed.text_after, formed.reasoning) == (OPINION, "")
    assert (told.cause, told.reasoning) == ("withdrawn", "Leaves 1 standing: evidence was deleted.")
    assert list_evidence(bank, opinion.id)[0] == ("formed", [other])
    check_replay(bank, opinion.id)


SAFE = "I think that the Faro ferry is safe."


@pytest.mark.parametrize(
    ("text", "stays"),
    [(SAFE, True), (f"Previously I thought that it is unsafe while Zelda drinks gin, but now {SAFE}", False)],
)
def test_a_former_text_is_removed_even_after_a_reversal(bank: Bank, text: str, *, stays: bool) -> None:
    secret = see(bank, "Zelda the captain drank gin.", "Faro ferry")
    former = "I think that the Faro ferry is unsafe while Zelda drinks gin."
    opinion = believe(bank, former, secret)
    safe = tell(bank, "The Faro ferry has a safe crew by now.")
    assert believe(bank, text, safe, matcher=Matched(opposite=[(former, text)])).id == opinion.id
    delete(bank, secret)
    assert ("Zelda" in read_everything(bank), is_there(bank, opinion.id)) == (False, stays)
    if stays:
        assert (read_opinion(bank, opinion.id).text, read_steps(bank, opinion.id)[0].text_after) == (SAFE, "")
        check_replay(bank, opinion.id)


def test_a_pin_on_words_that_must_go_is_opened_and_queued(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    review(bank, opinion_id, Act.PIN)
    delete(bank, late)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence, opinion.review) == (OPINION, 0.7, "")
    assert list_causes(bank, opinion_id) == ["formed", "contradict", "pinned", "withdrawn", "reopened"]
    pin = read_steps(bank, opinion_id)[2]
    assert (pin.text_before, pin.text_after, pin.confidence_after) == ("", "", 0.4)
    assert find_concern(bank, Concern.CHANGED) == [opinion_id]
    assert "Zelda" not in read_everything(bank)
    check_replay(bank, opinion_id)


def test_a_text_that_a_person_wrote_stays_and_the_former_text_is_removed(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    review(bank, opinion_id, Act.EDIT, "I think that the ferry is fine.")
    delete(bank, late)
    assert read_opinion(bank, opinion_id).text == "I think that the ferry is fine."
    assert "Zelda" not in read_everything(bank)
    check_replay(bank, opinion_id)


def test_an_edit_of_the_confidence_alone_keeps_no_words(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        sure = Review(Act.EDIT, "lea", "sure", confidence=0.9)
        review_opinion(bank, read_opinion(bank, opinion_id), sure)
    delete(bank, late)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == (OPINION, 0.9)
    assert "Zelda" not in read_everything(bank)
    check_replay(bank, opinion_id)


def test_words_that_go_back_to_those_of_another_stay_in_neither(bank: Bank, ground: UUID, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    other = believe(bank, OPINION, ground)
    assert other.id != opinion_id
    delete(bank, late)
    assert [opinion.id for opinion in read_opinions(bank)] == [other.id]
    assert ("restated", [opinion_id]) in list_evidence(bank, other.id)
    assert "Zelda" not in read_everything(bank)


@pytest.mark.parametrize("turned", [True, False])
def test_an_approval_does_not_apply_to_another_text(bank: Bank, opinion_id: UUID, *, turned: bool) -> None:
    review(bank, opinion_id, Act.APPROVE)
    late = tell(bank, LATE)
    if turned:
        believe(bank, TURNED, late, confidence=0.7)
    else:
        learn(bank, Said({LATE: "weaken"}, texts={LATE: WORDED}), late)
    assert read_opinion(bank, opinion_id).review == ""
    assert find_concern(bank, Concern.CHANGED) == [opinion_id]
    check_replay(bank, opinion_id)
    review(bank, opinion_id, Act.APPROVE)
    assert find_concern(bank, Concern.CHANGED) == []
    delete(bank, late)
    assert (read_opinion(bank, opinion_id).text, read_opinion(bank, opinion_id).review) == (OPINION, "")
    assert find_concern(bank, Concern.CHANGED) == [opinion_id]
    check_replay(bank, opinion_id)


def test_an_approval_stays_while_only_the_confidence_moves(bank: Bank, opinion_id: UUID) -> None:
    review(bank, opinion_id, Act.APPROVE)
    learn(bank, Said({LATE: "weaken"}), tell(bank, LATE))
    assert (read_opinion(bank, opinion_id).review, find_concern(bank, Concern.CHANGED)) == ("approved", [])


def test_a_corrected_fact_does_nothing_any_more_and_its_words_stay_in_the_history(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    assert correct(bank, late)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == (OPINION, 0.7)
    moved, back = read_steps(bank, opinion_id)[1:]
    assert (moved.withdrawn, moved.text_after, moved.evidence_id) == (True, WORDED, late)
    assert (back.cause, back.text_before, back.text_after) == ("withdrawn", WORDED, OPINION)
    assert (back.actor, back.evidence_id) == ("test", late)
    assert back.reasoning == "Takes back 2: evidence was corrected, it never was so."
    check_replay(bank, opinion_id)
    assert restore(bank, late)
    embed_opinions(bank, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    learn(bank, Said({LATE: "weaken"}), late)
    assert (read_opinion(bank, opinion_id).confidence, list_causes(bank, opinion_id)[-1]) == (0.55, "weaken")
    check_replay(bank, opinion_id)


def test_an_opinion_on_nothing_but_corrected_facts_is_held_no_more(bank: Bank, ground: UUID, opinion_id: UUID) -> None:
    correct(bank, ground)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.close_reason, opinion.text, list_causes(bank, opinion_id)) == (
        "correction",
        OPINION,
        ["formed", "withdrawn"],
    )
    assert believe(bank, OPINION, tell(bank, "The Faro ferry won a prize.")).outcome == "formed"


def test_an_edited_fact_is_assessed_again(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}), late)
    good = "The Faro ferry was on time because of its captain."
    assert edit(bank, late, good)
    assert read_opinion(bank, opinion_id).confidence == 0.7
    told = read_steps(bank, opinion_id)[-1]
    assert (told.reasoning, told.actor, told.evidence_id) == (
        "Takes back 2: evidence was edited and is weighed again.",
        "test",
        late,
    )
    learn(bank, Said({good: "reinforce"}), late)
    assert read_opinion(bank, opinion_id).confidence == 0.85
    assert list_causes(bank, opinion_id) == ["formed", "contradict", "withdrawn", "reinforce"]
    check_replay(bank, opinion_id)


def test_a_merged_fact_is_assessed_again(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}), late)
    fuller = f"{LATE[:-1]} because a whale needed help."
    assert [merge(bank, late, fuller).opinions, merge(bank, late, fuller).opinions] == [1, 0]
    told = read_steps(bank, opinion_id)[-1]
    assert told.reasoning == "Takes back 2: evidence was merged with another fact and is weighed again."
    learn(bank, Said({fuller: "weaken"}), late)
    assert read_opinion(bank, opinion_id).confidence == 0.55
    assert list_causes(bank, opinion_id) == ["formed", "contradict", "withdrawn", "weaken"]
    check_replay(bank, opinion_id)


def test_a_pinned_opinion_follows_a_merged_fact_once_it_is_unpinned(bank: Bank, opinion_id: UUID) -> None:
    late, fuller = tell(bank, LATE), f"{LATE[:-1]} because a whale needed help."
    learn(bank, Said({LATE: "contradict"}), late)
    review(bank, opinion_id, Act.PIN)
    merge(bank, late, fuller)
    assert (read_opinion(bank, opinion_id).confidence, list_causes(bank, opinion_id)[-1]) == (0.4, "pinned")
    review(bank, opinion_id, Act.UNPIN)
    tools = Tools(Said({fuller: "weaken"}), get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    catch_up(bank, opinion_id, tools, now=timezone.now(), find_unfinished=lambda _: ())
    assert (read_opinion(bank, opinion_id).confidence, list_causes(bank, opinion_id)[-1]) == (0.55, "weaken")
    check_replay(bank, opinion_id)


def test_a_deletion_that_hits_several_revisions_is_recorded_once_with_their_numbers(
    bank: Bank, opinion_id: UUID
) -> None:
    texts = ["The Faro ferry was on time in June.", LATE, "The Faro ferry won a prize."]
    facts = [tell(bank, text) for text in texts]
    learn(bank, Said(dict(zip(texts, ("reinforce", "weaken", "reinforce"), strict=True))), *facts)
    assert list_causes(bank, opinion_id) == ["formed", "reinforce", "weaken", "reinforce"]
    assert delete(bank, *facts) == Withdrawn(1)
    assert list_causes(bank, opinion_id)[4:] == ["withdrawn"]
    assert read_steps(bank, opinion_id)[-1].reasoning == "Takes back 2, 3 and 4: evidence was deleted."
    check_replay(bank, opinion_id)


def test_a_deletion_that_hits_by_a_fact_and_by_its_dependents_is_recorded_once(bank: Bank, ground: UUID) -> None:
    standing = believe(bank, OPINION, ground)
    other = believe(bank, "I think that Zelda drank on the Faro ferry.", tell(bank, LATE), ground)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        late = RevisionEvidence.objects.of_bank(bank).filter(opinion_id=other.id).exclude(fact_id=ground).get().fact_id
        assert late is not None
        author = Author(bank, "test", timezone.now())
        merge_opinions(author, read_opinion(bank, standing.id), read_opinion(bank, other.id))
    delete(bank, late)
    assert not is_there(bank, other.id)
    assert list_causes(bank, standing.id) == ["formed", "restated", "withdrawn"]
    assert "Zelda" not in read_everything(bank)


def test_a_retired_opinion_whose_text_goes_back_stays_retired_with_a_revision(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    review(bank, opinion_id, Act.APPROVE)
    review(bank, opinion_id, Act.RETIRE)
    delete(bank, late)
    assert read_opinion(bank, opinion_id).review == "retired"
    assert (list_causes(bank, opinion_id)[-1], read_steps(bank, opinion_id)[-1].reasoning) == (
        "reopened",
        STAYS_RETIRED,
    )
    check_replay(bank, opinion_id)


def test_withdrawn_evidence_can_be_deleted_without_a_second_revision(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "weaken"}), late)
    edit(bank, late, "The Faro ferry was painted blue.")
    delete(bank, late)
    assert list_causes(bank, opinion_id) == ["formed", "weaken", "withdrawn"]


def test_original_evidence_can_contradict_the_opinion_once_it_is_edited(
    bank: Bank, ground: UUID, opinion_id: UUID
) -> None:
    never = "The Faro ferry was never on time."
    assert edit(bank, ground, never)
    learn(bank, Said({never: "contradict"}), ground)
    assert (read_opinion(bank, opinion_id).confidence, list_causes(bank, opinion_id)) == (
        0.4,
        ["formed", "withdrawn", "contradict"],
    )


def test_a_revision_of_an_old_export_is_withdrawn_too(bank: Bank, opinion_id: UUID) -> None:
    late = tell(bank, LATE)
    learn(bank, Said({LATE: "contradict"}, texts={LATE: WORDED}), late)
    with tenant_transaction(bank.tenant_id):
        RevisionEvidence.objects.of_bank(bank).delete()
        add_missing_evidence(bank)
    assert learn(bank, Said({LATE: "contradict"}), late).weighed == 0
    assert delete(bank, late) == Withdrawn(1, 1)
    assert (read_opinion(bank, opinion_id).text, "Zelda" in read_everything(bank)) == (OPINION, False)
    check_replay(bank, opinion_id)


def test_a_closed_fact_is_no_evidence(bank: Bank, ground: UUID) -> None:
    correct(bank, ground)
    assert form(bank, CandidateOpinion(OPINION, 0.7, "", (ground,))) == []


def test_a_reversal_to_a_held_opinion_in_other_words_makes_no_second_one(bank: Bank, ground: UUID) -> None:
    one = believe(bank, "I think that the Faro ferry is charming.", ground)
    other = believe(bank, OPINION, tell(bank, "The Faro ferry won a prize."))
    new = tell(bank, "The Faro ferry was never late.")
    text = "Previously I thought that the Faro ferry is charming, but now I think the Faro ferry is really reliable."
    assert believe(bank, text, new, matcher=Matched(same=[(text, OPINION)])).id == other.id
    assert [opinion.id for opinion in read_opinions(bank)] == [other.id]
    assert list_evidence(bank, other.id)[-1] == ("reinforce", [new])
    assert read_opinion(bank, one.id).superseded_by_id == other.id
