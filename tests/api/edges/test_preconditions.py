"""`If-Match` refuses an edit or a deletion that is based on an older version."""

from typing import Any

import pytest
from django.utils import timezone

from memoryplatform.embedded.redis import EmbeddedRedis
from reflection.models import RetentionRule
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.held_rows import ask_during
from tests.memory_factories import make_unit

PATH = "/v1/banks/support"


def test_the_second_of_two_editors_of_a_bank_is_refused(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support", name="Nora")
    seen = call("GET", PATH).headers["ETag"]
    first = call("PATCH", PATH, {"name": "Vera"}, If_Match=seen)
    second = call("PATCH", PATH, {"name": "Lea"}, If_Match=seen)
    assert (first.status_code, second.status_code, second.json()["code"]) == (200, 412, "changed_meanwhile")
    assert call("PATCH", PATH, {"name": "Lea"}, If_Match=first.headers["ETag"]).json()["name"] == "Lea"


def test_a_tag_that_was_weakened_on_its_way_still_fits(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    seen = call("GET", PATH).headers["ETag"]
    assert call("PATCH", PATH, {"name": "Vera"}, If_Match=f"W/{seen}").status_code == 200


def test_of_several_tags_one_must_fit(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    seen = call("GET", PATH).headers["ETag"]
    assert call("PATCH", PATH, {"name": "Vera"}, If_Match='"older", "oldest"').status_code == 412
    assert call("PATCH", PATH, {"name": "Vera"}, If_Match=f'"older",W/{seen}').status_code == 200


DELETABLE: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("/v1/banks", "/{bank_id}", {"bank_id": "other"}, {"name": "Vera"}),
    (f"{PATH}/retention-rules", "/{id}", {"name": "old", "days": 30}, {"days": 60}),
    (f"{PATH}/directives", "/{id}", {"name": "tone", "content": "Be brief."}, {"content": "Be kind."}),
    (f"{PATH}/mental-models", "/{id}", {"name": "Boats", "source_query": "Which boats?"}, {"name": "Ships"}),
]


@pytest.mark.parametrize(("where", "one", "new", "change"), DELETABLE, ids=[row[0] for row in DELETABLE])
def test_a_changed_object_is_not_deleted(
    call: Caller, alice: Tenant, where: str, one: str, new: dict[str, Any], change: dict[str, Any]
) -> None:
    make_bank(alice, bank_id="support")
    path = where + one.format(**call("POST", where, new).json())
    seen = call("GET", path).headers["ETag"]
    changed = call("PATCH", path, change)
    refused = call("DELETE", path, If_Match=seen)
    assert (changed.status_code, refused.status_code, refused.json()["code"]) == (200, 412, "changed_meanwhile")
    assert call("GET", path).status_code == 200
    assert call("DELETE", path, If_Match=changed.headers["ETag"]).status_code in {200, 204}
    assert call("GET", path).status_code == 404


def test_a_memory_that_another_edited_since_is_not_deleted(call: Caller, alice: Tenant) -> None:
    path = f"{PATH}/memories/{make_unit(alice, bank=make_bank(alice, bank_id='support')).id}"
    seen = call("GET", path).headers["ETag"]
    edited = call("PATCH", path, {"importance": 0.9}).headers["ETag"]
    assert call("DELETE", path, If_Match=seen).json()["code"] == "memory_changed"
    assert call("DELETE", path, If_Match=f"{seen}, {edited}").status_code == 200


def test_a_statement_is_not_merged_into_a_background_that_changed_meanwhile(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support", background="I am Nora.")
    seen, news = call("GET", PATH).headers["ETag"], {"content": "You were born in Texas."}
    changed = call("PATCH", PATH, {"background": "I am Vera."}).headers["ETag"]
    assert call("POST", f"{PATH}/background", news, If_Match=seen).json()["code"] == "changed_meanwhile"
    assert call("GET", PATH).json()["background"] == "I am Vera."
    assert call("POST", f"{PATH}/background", news, If_Match=changed).json()["changed"]


def test_an_edit_without_if_match_is_not_checked(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    assert call("PATCH", PATH, {"name": "Vera"}).status_code == 200
    assert call("PATCH", PATH, {"name": "Lea"}, If_Match="*").status_code == 200


def test_closing_and_restoring_check_the_etag(call: Caller, alice: Tenant) -> None:
    unit = make_unit(alice, bank=make_bank(alice, bank_id="support"))
    path = f"{PATH}/memories/{unit.id}"
    seen = call("GET", path).headers["ETag"]
    edited = call("PATCH", path, {"importance": 0.9}, If_Match=seen).headers["ETag"]
    closings = [("PATCH", path, {"state": "invalidated"}), ("POST", f"{path}/invalidate", {})]
    assert [call(*closing, If_Match=seen).status_code for closing in closings] == [412, 412]
    closed = call(*closings[1], If_Match=edited).headers["ETag"]
    restorings = [("PATCH", path, {"state": "valid"}), ("POST", f"{path}/restore", {})]
    assert [call(*restoring, If_Match=edited).status_code for restoring in restorings] == [412, 412]
    assert call(*restorings[0], If_Match=closed).json()["state"] == "valid"


def test_an_edit_of_a_rule_with_an_outdated_etag_is_refused(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    made = call("POST", f"{PATH}/retention-rules", {"name": "old", "days": 30})
    path, change = f"{PATH}/retention-rules/{made.json()['id']}", {"enabled": False}
    seen = call("GET", path).headers["ETag"]
    first = call("PATCH", path, change, If_Match=seen)
    second = call("PATCH", path, change, If_Match=seen)
    assert (first.status_code, second.status_code, second.json()["code"]) == (200, 412, "changed_meanwhile")
    assert first.headers["ETag"] == call("GET", path).headers["ETag"] != seen
    assert made.headers["ETag"] != first.headers["ETag"]


def test_an_edit_of_older_settings_is_refused(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    seen, change = call("GET", f"{PATH}/config").headers["ETag"], {"updates": {"disposition_empathy": 5}}
    assert seen == call("GET", PATH).headers["ETag"]
    changed = call("PATCH", f"{PATH}/config", change, If_Match=seen).headers["ETag"]
    refused = [call("PATCH", f"{PATH}/config", change, If_Match=seen), call("DELETE", f"{PATH}/config", If_Match=seen)]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(412, "changed_meanwhile")] * 2
    assert call("DELETE", f"{PATH}/config", If_Match=changed).headers["ETag"] == seen


def test_two_changes_of_a_rule_at_once_both_stand(committed_db: None, redis_server: EmbeddedRedis) -> None:
    tenant = make_tenant("alice")
    make_bank(tenant, bank_id="support")
    call = Caller(make_key_with_text(tenant)[1])
    made = call("POST", f"{PATH}/retention-rules", {"name": "old", "days": 30, "tag": "x", "action": "delete"}).json()
    path = f"{PATH}/retention-rules/{made['id']}"
    tended = timezone.now()

    def switch_off() -> None:
        RetentionRule.objects.for_tenant(tenant.id).filter(id=made["id"]).update(enabled=False, applied_at=tended)

    shown = ask_during(tenant, switch_off, lambda: call("PATCH", path, {"days": 60}).json())
    assert (shown["days"], shown["enabled"], shown["applied_at"] is None) == (60, False, False)
    assert call("GET", path).json() == shown
