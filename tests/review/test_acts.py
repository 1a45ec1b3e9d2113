"""Each action of a reviewer changes the opinion and is recorded in its history and in the audit log."""

from pathlib import Path
from typing import get_args
from uuid import UUID

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from banks.errors import MemoryInvalid
from banks.models import Bank
from memoryplatform.api.v1.opinions import ACTIONS
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.opinions.review import review
from memoryplatform.review.acts import DONE, LABELS
from memoryplatform.review.admin import OpinionAdmin
from memoryplatform_client.resources.opinions import Act as ClientAct
from reflection.models import OpinionRevision
from reflection.opinions.review import MARKS, Act, Review
from tenants.models import Tenant, User
from tests.reflection.opinions.believing import Said, believe, check_replay, learn, read_opinion, read_steps, see
from tests.review.reviewing import QUEUE, page_of, read, read_events, read_version, send

OPINION = "I think that Python is the best language."
FACT = "Python has the largest ecosystem."


@pytest.fixture
def opinion_id(bank: Bank) -> UUID:
    return believe(bank, OPINION, see(bank, "Most notebooks are in Python.", "Python")).id


def test_every_action_is_in_every_table() -> None:
    acts = set(Act)
    assert acts == set(LABELS) == {*MARKS, Act.EDIT}
    assert acts == set(ACTIONS) == set(get_args(ClientAct))
    assert {cause for _, _, cause in MARKS.values()} | {OpinionRevision.Cause.EDITED} == set(OpinionRevision.BY_PEOPLE)
    assert {f"{act}_selected" for act in DONE} == set(OpinionAdmin.actions)
    told = (Path(__file__).parents[2] / "docs" / "reflect.md").read_text()
    assert [act for act in acts if f"`{act}`" not in told] == []


@pytest.mark.parametrize(("act", "mark"), [("approve", "approved"), ("pin", "pinned"), ("retire", "retired")])
def test_a_mark_is_set_with_its_reason_and_its_reviewer(
    client: Client, bank: Bank, opinion_id: UUID, act: str, mark: str
) -> None:
    answer = send(client, opinion_id, act, reason="We talked about it.")
    assert (answer.status_code, answer["Location"]) == (302, QUEUE)
    assert read_opinion(bank, opinion_id).review == mark
    step = read_steps(bank, opinion_id)[-1]
    assert (step.cause, step.actor, step.reasoning) == (mark, "lea@example.com", "We talked about it.")
    check_replay(bank, opinion_id)


def test_an_act_is_audited_with_the_person(client: Client, tenant: Tenant, staff: User, opinion_id: UUID) -> None:
    send(client, opinion_id, "retire")
    (event,) = read_events(tenant, "opinion.reviewed")
    assert (event.user_id, event.target, event.detail["act"]) == (staff.id, f"memory:{opinion_id}", "retire")


def test_an_edit_changes_only_the_given_fields(client: Client, bank: Bank, opinion_id: UUID) -> None:
    answer = send(client, opinion_id, "edit", text="I think that Python is a good language.", confidence="0.7")
    assert ["Python is a good language" in str(told) for told in get_messages(answer.wsgi_request)] == [True]
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == ("I think that Python is a good language.", 0.7)
    send(client, opinion_id, "edit", text=opinion.text, confidence="0.4")
    assert read_opinion(bank, opinion_id).confidence == 0.4
    assert [step.cause for step in read_steps(bank, opinion_id)] == ["formed", "edited", "edited"]
    check_replay(bank, opinion_id)


def test_a_retired_opinion_is_restored_and_a_pinned_one_is_unpinned(
    client: Client, bank: Bank, opinion_id: UUID
) -> None:
    for act in ("pin", "unpin", "retire", "restore"):
        assert send(client, opinion_id, act).status_code == 302, act
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.review, opinion.expired_at) == ("", None)


@pytest.mark.parametrize(("act", "mark"), [("approve", "approved"), ("pin", "pinned")])
def test_a_restored_opinion_has_its_former_review_mark(
    client: Client, bank: Bank, opinion_id: UUID, act: str, mark: str
) -> None:
    for one in (act, "retire", "restore"):
        send(client, opinion_id, one)
    assert read_opinion(bank, opinion_id).review == mark
    check_replay(bank, opinion_id)
    for one in ("retire", "restore"):
        send(client, opinion_id, one)
    assert read_opinion(bank, opinion_id).review == mark


@pytest.mark.parametrize("act", ["edit", "retire", "pin"])
def test_a_reason_is_asked_for_all_but_an_approval(client: Client, bank: Bank, opinion_id: UUID, act: str) -> None:
    answer = send(client, opinion_id, act, reason=" ", text="Another text.")
    assert (answer.status_code, "Say why" in answer.content.decode()) == (200, True)
    assert len(read_steps(bank, opinion_id)) == 1
    with pytest.raises(MemoryInvalid, match="Say why"):
        review(BankAccess(bank.tenant_id), bank.bank_id, opinion_id, Review(Act(act), "lea", " ", text="Another text."))
    assert send(client, opinion_id, "approve", reason="").status_code == 302


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"text": OPINION, "confidence": "0.7"}, "Change the text or the confidence"),
        ({"confidence": "1.5"}, "less than or equal to 1"),
        ({"confidence": "nan"}, "number"),
    ],
)
def test_an_edit_that_says_nothing_or_nonsense_is_refused(
    client: Client, bank: Bank, opinion_id: UUID, given: dict[str, str], told: str
) -> None:
    answer = send(client, opinion_id, "edit", **given)
    assert (answer.status_code, told in answer.content.decode()) == (200, True)
    assert len(read_steps(bank, opinion_id)) == 1


def test_a_second_reviewer_gets_an_error_and_overwrites_nothing(client: Client, bank: Bank, opinion_id: UUID) -> None:
    seen = read_version(read(client, page_of(opinion_id)))
    send(client, opinion_id, "edit", text="I think that Python is fine.")
    late = send(client, opinion_id, "edit", text="I hate Python.", version=seen)
    page = late.content.decode()
    assert (late.status_code, "Somebody else has changed" in page, "I hate Python." in page) == (200, True, True)
    assert read_opinion(bank, opinion_id).text == "I think that Python is fine."
    assert send(client, opinion_id, "edit", text="I hate Python.", version=read_version(page)).status_code == 302


def test_an_action_that_the_state_does_not_allow_is_refused(client: Client, bank: Bank, opinion_id: UUID) -> None:
    answer = send(client, opinion_id, "restore")
    assert (answer.status_code, "not reviewed yet" in answer.content.decode()) == (200, True)
    assert len(read_steps(bank, opinion_id)) == 1


def test_a_text_that_another_opinion_has_is_refused(client: Client, bank: Bank, opinion_id: UUID) -> None:
    other = believe(bank, "Ferries are slow.", see(bank, "The ferry took nine hours.", "ferry"))
    answer = send(client, opinion_id, "edit", text=other.text)
    assert (answer.status_code, "says the same" in answer.content.decode()) == (200, True)


def test_a_pinned_opinion_keeps_its_confidence_when_evidence_comes(
    client: Client, bank: Bank, opinion_id: UUID
) -> None:
    send(client, opinion_id, "pin")
    learn(bank, Said({FACT: "contradict"}), see(bank, FACT, "Python"))
    assert read_opinion(bank, opinion_id).confidence == 0.7
    send(client, opinion_id, "unpin")
    again = "Python has a very large ecosystem."
    learn(bank, Said({again: "contradict"}), see(bank, again, "Python"))
    assert read_opinion(bank, opinion_id).confidence == 0.4
