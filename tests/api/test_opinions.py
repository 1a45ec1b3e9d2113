"""Opinions over HTTP: list, revisions and review."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from banks.enums import Network
from banks.models import Bank, MemoryUnit, Mention, UnitTag
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.models import Operation
from memoryplatform.operations.opinion_weighings import weigh_again
from reflection.opinions.adopting import RetainedUnits
from reflection.opinions.claims import CandidateOpinion
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_row
from tests.reflection.opinions.believing import Said, adopt, believe, check_replay, form, learn, see

FERRY = "I think that the Faro ferry is reliable."
TRAMS = "I think that Lisbon needs more trams."


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


@pytest.fixture
def ground(bank: Bank) -> UUID:
    return see(bank, "The Faro ferry was on time all year.", "Faro ferry")


@pytest.fixture
def ferry(bank: Bank, ground: UUID) -> UUID:
    return believe(bank, FERRY, ground).id


@pytest.fixture
def trams(bank: Bank, ferry: UUID) -> UUID:
    return believe(bank, TRAMS, see(bank, "Trams in Lisbon are full.", "Lisbon"), confidence=0.4).id


def path(opinion_id: UUID | str = "", rest: str = "") -> str:
    return f"/v1/banks/support/opinions/{opinion_id}{rest}".rstrip("/")


def review(call: Caller, opinion_id: UUID, action: str, **given: Any) -> Any:
    headers = {"If_Match": given.pop("version")} if "version" in given else {}
    return call("POST", path(opinion_id, "/review"), {"action": action, "reason": "seen"} | given, **headers)


def list_ids(call: Caller, query: str = "") -> list[str]:
    return [item["id"] for item in call("GET", f"{path()}{query}").json()["items"]]


def test_they_are_listed_newest_first(call: Caller, ferry: UUID, trams: UUID) -> None:
    listed = call("GET", path()).json()
    assert listed["total"] == 2
    first = listed["items"][0]
    assert (first["id"], first["text"], first["confidence"], first["revision"]) == (str(trams), TRAMS, 0.4, 1)
    assert ([entity["canonical_name"] for entity in first["entities"]], first["review"]) == (["Lisbon"], "")


def test_the_filters_choose(call: Caller, bank: Bank, ferry: UUID, trams: UUID) -> None:
    assert list_ids(call, "?min_confidence=0.5") == [str(ferry)]
    assert list_ids(call, "?q=tram") == [str(trams)]
    with tenant_transaction(bank.tenant_id):
        entity_id = Mention.objects.for_tenant(bank.tenant_id).get(unit_id=ferry).entity_id
    assert list_ids(call, f"?entity_id={entity_id}") == [str(ferry)]
    with tenant_transaction(bank.tenant_id):
        make_row(UnitTag, bank.tenant, unit_id=ferry, bank_id=bank.id, tag="travel")
    assert list_ids(call, "?tags=travel&tags=work&tags_match=any_strict") == [str(ferry)]
    assert list_ids(call, "?tags=work") == list_ids(call, "?tags_match=exact") == [str(trams)]
    assert list_ids(call, "?tags=travel") == [str(trams), str(ferry)]
    assert review(call, ferry, "approve").status_code == 200
    assert (list_ids(call, "?review=approved"), list_ids(call, "?review=new")) == ([str(ferry)], [str(trams)])
    assert review(call, trams, "edit", text="I think that Lisbon needs trams.").status_code == 200
    assert list_ids(call, "?review=new") == []


def test_they_are_listed_by_their_last_change(call: Caller, ferry: UUID, trams: UUID) -> None:
    review(call, ferry, "approve")
    assert list_ids(call, "?order=changed") == [str(ferry), str(trams)]
    assert list_ids(call, "?order=changed&offset=1") == [str(trams)]
    assert call("GET", f"{path()}?order=changed&cursor={uuid4()}.00000000").status_code == 422


def test_one_can_be_followed_from_its_formation_to_now(call: Caller, bank: Bank, ground: UUID, ferry: UUID) -> None:
    late, good = "The Faro ferry was late in August.", "The Faro ferry won a prize."
    facts = see(bank, good, "Faro ferry"), see(bank, late, "Faro ferry")
    learn(bank, Said({good: "reinforce", late: "weaken"}), *facts)
    review(call, ferry, "pin")
    shown = call("GET", path(ferry)).json()
    assert [(one["memory_id"], one["bearing"]) for one in shown["evidence"]] == [
        (str(ground), "formed"),
        (str(facts[0]), "reinforce"),
        (str(facts[1]), "weaken"),
    ]
    assert shown["evidence"][1]["text"] == good
    steps = call("GET", path(ferry, "/revisions")).json()
    assert [(one["number"], one["cause"], one["confidence_after"]) for one in steps["items"]] == [
        (1, "formed", 0.7),
        (2, "reinforce", 0.85),
        (3, "weaken", 0.7),
        (4, "pinned", 0.7),
    ]
    assert steps["items"][2]["evidence_text"] == late
    assert steps["items"][3]["reasoning"] == "seen"
    assert steps["items"][3]["actor"].startswith("api_key:")
    assert [one["number"] for one in call("GET", path(ferry, "/revisions?limit=2&offset=1")).json()["items"]] == [2, 3]


def test_each_revision_shows_all_its_evidence_as_it_read_then(
    call: Caller, bank: Bank, ground: UUID, ferry: UUID
) -> None:
    texts = ["The Faro ferry won a prize.", "The Faro ferry was praised."]
    facts = [see(bank, text, "Faro ferry") for text in texts]
    believe(bank, FERRY, *facts)
    call("PATCH", f"/v1/banks/support/memories/{ground}", {"text": "The Faro ferry was on time all summer."})
    steps = call("GET", path(ferry, "/revisions")).json()["items"]
    shown = [[(one["memory_id"], one["text"], one["taken_back"]) for one in step["evidence"]] for step in steps]
    assert shown == [
        [(str(ground), "The Faro ferry was on time all year.", True)],
        [(str(fact), text, False) for fact, text in zip(facts, texts, strict=True)],
        [(str(ground), "The Faro ferry was on time all summer.", True)],
    ]
    assert steps[2]["reasoning"] == "Leaves 1 standing: evidence was edited and is weighed again."
    assert steps[2]["actor"].startswith("api_key:")
    assert [(one["evidence_id"], one["evidence_text"]) for one in steps[:2]] == [
        (str(ground), "The Faro ferry was on time all year."),
        (str(facts[0]), texts[0]),
    ]
    listed = call("GET", path(ferry)).json()["evidence"]
    assert [(one["bearing"], one["revision"], one["at"]) for one in listed] == [
        ("formed", 1, steps[0]["at"]),
        *[("reinforce", 2, steps[1]["at"])] * 2,
    ]
    call("DELETE", f"/v1/banks/support/memories/{facts[0]}")
    moved = call("GET", path(ferry, "/revisions")).json()["items"][1]
    assert (moved["evidence_deleted"], moved["withdrawn"], moved["evidence_text"]) == (1, False, texts[1])


def test_a_corrected_fact_is_shown_as_withdrawn(call: Caller, bank: Bank, ferry: UUID) -> None:
    late = "The Faro ferry was late in August."
    fact = see(bank, late, "Faro ferry")
    learn(bank, Said({late: "weaken"}), fact)
    call("POST", f"/v1/banks/support/memories/{fact}/invalidate", {"reason": "correction"})
    shown = call("GET", path(ferry)).json()
    assert (shown["confidence"], shown["evidence"][1]["taken_back"]) == (0.7, True)
    assert shown["evidence"][1]["expired_at"]


def test_a_fact_that_changed_is_handed_on_to_be_weighed(bank: Bank, ground: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        weigh_again(bank, MemoryUnit.objects.of_bank(bank).get(id=ground))
        operation = Operation.objects.for_tenant(bank.tenant_id).get(kind="consolidate")
    assert PostRetain.read(operation.payload).unit_ids == (ground,)


def test_a_refused_claim_is_listed_nowhere(call: Caller, bank: Bank, ferry: UUID) -> None:
    heard = see(bank, f"I think {'on and on ' * 120}", network=Network.OPINION, confidence=0.5)
    adopt(bank, RetainedUnits((heard,)))
    assert (list_ids(call), list_ids(call, "?review=all")) == ([str(ferry)], [str(ferry)])
    assert call("GET", path(heard, "/revisions")).json()["total"] == 0


def test_an_edit_changes_text_and_confidence(call: Caller, bank: Bank, ferry: UUID) -> None:
    shown = review(call, ferry, "edit", text="I think that the ferry is fine.", confidence=0.5).json()
    assert (shown["text"], shown["confidence"], shown["revision"]) == ("I think that the ferry is fine.", 0.5, 2)
    assert (list_ids(call, "?q=fine"), list_ids(call, "?q=reliable")) == ([str(ferry)], [])
    check_replay(bank, ferry)


def test_a_text_that_another_opinion_has_is_refused(call: Caller, ferry: UUID, trams: UUID) -> None:
    response = review(call, ferry, "edit", text=TRAMS)
    assert (response.status_code, response.json()["code"]) == (409, "memory_exists")


def test_a_retired_one_is_not_held_until_it_is_restored(call: Caller, bank: Bank, ferry: UUID, ground: UUID) -> None:
    shown = review(call, ferry, "retire").json()
    assert (shown["review"], shown["expired_at"] is None) == ("retired", False)
    assert (list_ids(call), list_ids(call, "?review=retired"), list_ids(call, "?review=all")) == (
        [],
        [str(ferry)],
        [str(ferry)],
    )
    recalled = call("POST", "/v1/banks/support/memories/recall", {"query": "Is the Faro ferry reliable?"}).json()
    assert str(ferry) not in str(recalled)
    assert review(call, ferry, "approve").status_code == 409
    shown = review(call, ferry, "restore").json()
    assert (shown["review"], shown["expired_at"], list_ids(call)) == ("", None, [str(ferry)])
    check_replay(bank, ferry)


def test_a_retired_one_does_not_come_back_by_itself(call: Caller, bank: Bank, ferry: UUID) -> None:
    review(call, ferry, "retire")
    other = see(bank, "The Faro ferry was punctual again.", "Faro ferry")
    assert form(bank, CandidateOpinion(FERRY, 0.9, "", (other,))) == []
    assert list_ids(call) == []


def test_a_pinned_one_is_not_moved(call: Caller, bank: Bank, ferry: UUID) -> None:
    review(call, ferry, "pin")
    late = "The Faro ferry was late in August."
    assert learn(bank, Said({late: "weaken"}), see(bank, late, "Faro ferry")).weighed == 0
    assert believe(bank, FERRY, see(bank, "The Faro ferry won a prize.", "Faro ferry")).outcome == "pinned"
    assert call("GET", path(ferry)).json()["confidence"] == 0.7
    assert review(call, ferry, "pin").status_code == 409
    assert review(call, ferry, "unpin").json()["review"] == ""


def test_a_review_of_an_older_version_is_refused(call: Caller, bank: Bank, ferry: UUID) -> None:
    seen = call("GET", path(ferry)).headers["ETag"]
    late = "The Faro ferry was late in August."
    learn(bank, Said({late: "weaken"}), see(bank, late, "Faro ferry"))
    refused = review(call, ferry, "approve", version=seen)
    assert (refused.status_code, refused.json()["code"]) == (412, "memory_changed")
    assert review(call, ferry, "approve", version=call("GET", path(ferry)).headers["ETag"]).status_code == 200


BAD: dict[str, dict[str, Any]] = {
    "no reason": {"action": "pin"},
    "an empty reason": {"action": "pin", "reason": ""},
    "an unknown act": {"action": "burn", "reason": "x"},
    "an edit of nothing": {"action": "edit", "reason": "x"},
    "a text without an edit": {"action": "pin", "reason": "x", "text": "y"},
    "confidence 7": {"action": "edit", "reason": "x", "confidence": 7},
    "confidence true": {"action": "edit", "reason": "x", "confidence": True},
    "confidence nan": {"action": "edit", "reason": "x", "confidence": "nan"},
    "a text without end": {"action": "edit", "reason": "x", "text": "on and on " * 120},
    "an unknown field": {"action": "pin", "reason": "x", "colour": "red"},
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused_in_one_shape(call: Caller, ferry: UUID, body: dict[str, Any]) -> None:
    response = call("POST", path(ferry, "/review"), body)
    assert response.status_code == 422
    assert {"detail", "code", "request_id"} <= set(response.json())
    assert call("GET", path(ferry)).json()["revision"] == 1


@pytest.mark.parametrize("query", ["?min_confidence=2", "?review=odd", "?order=odd", "?entity_id=x"])
def test_bad_filters_are_refused(call: Caller, ferry: UUID, query: str) -> None:
    assert call("GET", f"{path()}{query}").status_code == 422


def test_a_fact_is_no_opinion(call: Caller, ground: UUID) -> None:
    assert call("GET", path(ground)).status_code == 404
    assert call("GET", path(ground, "/revisions")).status_code == 404
    assert review(call, ground, "pin").status_code == 404


def test_a_review_is_in_the_audit_log(call: Caller, alice: Tenant, ferry: UUID) -> None:
    review(call, ferry, "pin")
    with tenant_transaction(alice.id):
        event = AuditEvent.objects.for_tenant(alice.id).get(action="opinion.reviewed")
    assert (event.target, event.detail) == (
        f"memory:{ferry}",
        {"bank_id": "support", "act": "pin", "reason": "seen"},
    )


def test_reviewing_needs_both_scopes(alice: Tenant, ferry: UUID, make_caller: MakeCaller) -> None:
    assert review(make_caller(alice, scopes=["read"]), ferry, "pin").status_code == 403
    assert review(make_caller(alice, scopes=["write"]), ferry, "pin").status_code == 403


def test_an_approval_needs_no_reason(call: Caller, ferry: UUID) -> None:
    assert call("POST", path(ferry, "/review"), {"action": "approve"}).json()["review"] == "approved"


def test_evidence_says_whether_it_concerns_the_present_text(call: Caller, bank: Bank, ferry: UUID) -> None:
    texts = ["The Faro ferry was praised.", "The Faro ferry sank.", "The Faro ferry was raised."]
    worded = "I think that the Faro ferry is not reliable."
    verdicts = dict(zip(texts, ("reinforce", "contradict", "weaken"), strict=True))
    for text in texts:
        learn(bank, Said(verdicts, texts={texts[1]: worded}), see(bank, text, "Faro ferry"))
    shown = call("GET", path(ferry)).json()
    assert shown["text"] == worded
    assert [(one["bearing"], one["stance"]) for one in shown["evidence"]] == [
        ("formed", "former"),
        ("reinforce", "former"),
        ("contradict", "for"),
        ("weaken", "against"),
    ]


def test_a_query_by_tags_shows_no_evidence_under_other_tags(call: Caller, bank: Bank) -> None:
    ann, bob = "user:ann", "user:bob"
    opinion = believe(bank, FERRY, see(bank, "The ferry was on time.", "Faro ferry", tags=(bob,))).id
    late = see(bank, "Ann was late by the ferry.", "Faro ferry", tags=(bob,))
    limited = "I think that the Faro ferry is reliable, but Ann was late."
    learn(bank, Said({"Ann was late by the ferry.": "weaken"}, texts={"Ann was late by the ferry.": limited}), late)
    review(call, opinion, "edit", text="I think that the Faro ferry is all right.")
    call("PATCH", f"/v1/banks/support/memories/{late}", {"tags": [ann]})
    call("PATCH", f"/v1/banks/support/memories/{opinion}", {"tags": [bob]})
    by_bob = f"?tags={bob}&tags_match=any_strict"

    shown = call("GET", path(opinion, by_bob)).json()
    steps = call("GET", path(opinion, f"/revisions{by_bob}")).json()["items"]

    assert "Ann" not in str((shown, steps))
    assert ([one["text"] for one in shown["evidence"]], shown["hidden_evidence"]) == (["The ferry was on time."], 1)
    assert [(step["evidence_id"] is None, step["hidden_evidence"]) for step in steps] == [
        (False, 0),
        (True, 1),
        (True, 0),
    ]
    assert [(step["text_before"], step["text_after"]) for step in steps[:2]] == [("", FERRY), (FERRY, "")]
    assert [step["confidence_after"] for step in steps] == [0.7, 0.55, 0.55]
    for rest in ("", "/revisions"):
        assert call("GET", path(opinion, f"{rest}?tags={ann}")).status_code == 404
        assert "Ann" in str(call("GET", path(opinion, rest)).json())


def test_the_successor_is_shown_only_to_readers_who_may_see_it(call: Caller, bank: Bank) -> None:
    old = believe(bank, FERRY, see(bank, "The ferry was on time.", "Faro ferry", tags=("user:ann",))).id
    sank = see(bank, "The ferry sank.", "Faro ferry", tags=("user:bob",))
    new = believe(bank, "I think that the Faro ferry is not reliable.", sank).id
    for query, wanted in (("", str(new)), ("?tags=user:ann", None)):
        assert call("GET", path(old, query)).json()["superseded_by"] == wanted
        listed = call("GET", f"{path()}{query}{'&' if query else '?'}review=all").json()["items"]
        assert [one["superseded_by"] for one in listed if one["id"] == str(old)] == [wanted]
