"""An editor who saw something older does not overwrite what another wrote since."""

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank

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
