"""An editor who saw something older does not overwrite what another wrote since."""

from django.utils import timezone

from memoryplatform.embedded.redis import EmbeddedRedis
from reflection.models import RetentionRule
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.held_rows import ask_during
from tests.memory_factories import make_unit

PATH = "/v1/banks/support"


def test_the_second_of_two_editors_of_a_bank_is_told(call: Caller, alice: Tenant) -> None:
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


def test_who_sends_no_tag_edits_as_before(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    assert call("PATCH", PATH, {"name": "Vera"}).status_code == 200
    assert call("PATCH", PATH, {"name": "Lea"}, If_Match="*").status_code == 200


def test_closing_and_restoring_ask_what_was_seen(call: Caller, alice: Tenant) -> None:
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


def test_an_editor_of_a_rule_or_of_tuning_who_saw_something_older_is_told(call: Caller, alice: Tenant) -> None:
    make_bank(alice, bank_id="support")
    made = call("POST", f"{PATH}/retention-rules", {"name": "old", "days": 30})
    for path, change in (
        (f"{PATH}/retention-rules/{made.json()['id']}", {"enabled": False}),
        (f"{PATH}/tuning", {"learn_from_feedback": True}),
    ):
        seen = call("GET", path).headers["ETag"]
        first = call("PATCH", path, change, If_Match=seen)
        second = call("PATCH", path, change, If_Match=seen)
        assert (first.status_code, second.status_code, second.json()["code"]) == (200, 412, "changed_meanwhile")
        assert first.headers["ETag"] == call("GET", path).headers["ETag"] != seen
    assert made.headers["ETag"] != first.headers["ETag"]


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
