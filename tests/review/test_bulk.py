"""One review action on several opinions."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from banks.models import Bank
from tenants.models import Tenant
from tests.factories import make_bank, make_tenant
from tests.reflection.opinions.believing import believe, read_opinion, read_steps, see
from tests.review.reviewing import QUEUE, read_events, send


@pytest.fixture
def opinion_ids(bank: Bank) -> list[UUID]:
    return [believe(bank, f"{thing} are fine.", see(bank, f"{thing} were good.", thing)).id for thing in THINGS]


THINGS = ("Ferries", "Trams")


def ask(client: Client, action: str, ids: list[UUID]) -> Any:
    return client.post(QUEUE, {"action": action, "_selected_action": [str(one) for one in ids]})


def confirm(client: Client, asked: Any, *, reason: str = "") -> Any:
    """Submit the confirmation page unchanged."""
    chosen = asked.context_data["chosen"]
    body = {
        "action": asked.context_data["action"],
        "_selected_action": [str(opinion.pk) for opinion, _ in chosen],
        "version": [version for _, version in chosen],
        "confirmed": "yes",
        "reason": reason,
    }
    return client.post(QUEUE, body, follow=True)


@pytest.mark.parametrize(
    ("action", "mark"), [("approve_selected", "approved"), ("retire_selected", "retired"), ("pin_selected", "pinned")]
)
def test_the_chosen_are_shown_first_and_marked_after(
    client: Client, tenant: Tenant, bank: Bank, opinion_ids: list[UUID], action: str, mark: str
) -> None:
    asked = ask(client, action, opinion_ids)
    assert all(f"{thing} are fine." in asked.content.decode() for thing in THINGS)
    assert [read_opinion(bank, one).review for one in opinion_ids] == ["", ""]
    done = confirm(client, asked, reason="All of a kind.")
    assert f"2 opinions {mark}." in done.content.decode()
    assert [read_opinion(bank, one).review for one in opinion_ids] == [mark, mark]
    for one in opinion_ids:
        step = read_steps(bank, one)[-1]
        assert (step.cause, step.actor, step.reasoning) == (mark, "lea@example.com", "All of a kind.")
    assert len(read_events(tenant, "opinion.reviewed")) == 2


def test_a_reason_is_asked_for(client: Client, bank: Bank, opinion_ids: list[UUID]) -> None:
    again = confirm(client, ask(client, "retire_selected", opinion_ids))
    assert "Say why" in again.content.decode()
    assert [read_opinion(bank, one).review for one in opinion_ids] == ["", ""]
    assert "2 opinions approved." in confirm(client, ask(client, "approve_selected", opinion_ids)).content.decode()


def test_opinions_that_changed_meanwhile_are_reported_and_skipped(
    client: Client, bank: Bank, opinion_ids: list[UUID]
) -> None:
    asked = ask(client, "retire_selected", opinion_ids)
    send(client, opinion_ids[0], "approve")
    page = confirm(client, asked, reason="All of a kind.").content.decode()
    assert ("1 opinion retired." in page, "was left as it is" in page) == (True, True)
    assert [read_opinion(bank, one).review for one in opinion_ids] == ["approved", "retired"]


def test_each_is_marked_in_its_own_tenant(client: Client, bank: Bank, opinion_ids: list[UUID]) -> None:
    zeta = make_tenant("zeta")
    other = make_bank(zeta)
    foreign = believe(other, "Buses are fine.", see(other, "The bus was good.", "bus")).id
    confirm(client, ask(client, "approve_selected", [*opinion_ids, foreign]))
    assert read_opinion(other, foreign).review == "approved"
    assert len(read_events(zeta, "opinion.reviewed")) == 1


def test_a_version_that_was_left_out_approves_nothing(client: Client, bank: Bank, opinion_ids: list[UUID]) -> None:
    asked = ask(client, "approve_selected", opinion_ids)
    asked.context_data["chosen"] = [(opinion, "") for opinion, _ in asked.context_data["chosen"]]
    confirm(client, asked)
    assert [read_opinion(bank, one).review for one in opinion_ids] == ["", ""]


def test_a_malformed_id_is_reported(client: Client, bank: Bank, opinion_ids: list[UUID]) -> None:
    for extra in ({}, {"confirmed": "yes", "reason": "x"}):
        chosen = ["nonsense", str(opinion_ids[0])]
        answer = client.post(QUEUE, {"action": "retire_selected", "_selected_action": chosen, **extra}, follow=True)
        assert (answer.status_code, "what was chosen is no opinion" in answer.content.decode()) == (200, True)
    assert read_opinion(bank, opinion_ids[0]).review == ""
