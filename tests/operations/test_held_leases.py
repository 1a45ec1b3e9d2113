"""A process ends the leases that the process before it left behind."""

from pathlib import Path

import pytest
from django.utils import timezone

from memoryplatform.operations.errors import RequestInFlight
from memoryplatform.operations.idempotency import Claim, Replay, begin
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.held_leases import end_leases_left_behind, keep_claim_file, keep_lease_file
from memoryplatform.operations.running.run import Lease, claim
from tenants.models import Tenant
from tests.operations.conftest import reload, submit_one


@pytest.fixture(autouse=True)
def folder(settings: pytest.FixtureRequest, tmp_path: Path) -> Path:
    settings.OPERATION_LEASE_FOLDER = tmp_path / "leases"  # type: ignore[attr-defined]  # pytest-django's settings
    return tmp_path / "leases"


def die_with(lease: Lease, folder: Path) -> None:
    """Leave the file of a killed process."""
    with keep_lease_file(lease):
        (file,) = folder.iterdir()
    file.touch()


def take(operation: Operation) -> Lease:
    taken = claim(operation.tenant_id, operation.id)
    assert taken is not None
    return taken[0]


def test_a_lease_that_was_left_behind_ends_at_once(tenant: Tenant, folder: Path) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    die_with(take(operation), folder)
    assert claim(tenant.id, operation.id) is None
    end_leases_left_behind()
    assert Dispatch.objects.get().due_at <= timezone.now()
    assert take(operation).token == 2
    assert list(folder.iterdir()) == []


def test_a_lease_that_another_worker_took_over_stays(tenant: Tenant, folder: Path) -> None:
    operation = submit_one(tenant, "probe.steps", steps=1)
    first = take(operation)
    die_with(first, folder)
    end_leases_left_behind()
    take(operation)
    die_with(first, folder)
    end_leases_left_behind()
    assert claim(tenant.id, operation.id) is None
    assert reload(operation).fencing_token == 2


def test_a_finished_lease_leaves_no_file(tenant: Tenant, folder: Path) -> None:
    with keep_lease_file(take(submit_one(tenant, "probe.steps", steps=1))):
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


def test_the_key_of_a_request_that_died_with_its_process_can_be_used_at_once(tenant: Tenant, folder: Path) -> None:
    request = begin(tenant.id, "key", "fingerprint")
    assert isinstance(request, Claim)
    with keep_claim_file(request):
        (file,) = folder.iterdir()
    file.touch()
    with pytest.raises(RequestInFlight):
        begin(tenant.id, "key", "fingerprint")
    end_leases_left_behind()
    assert isinstance(begin(tenant.id, "key", "fingerprint"), Claim)


def test_the_key_of_a_request_that_was_answered_keeps_its_answer(tenant: Tenant, folder: Path) -> None:
    request = begin(tenant.id, "key", "fingerprint")
    assert isinstance(request, Claim)
    with keep_claim_file(request):
        (file,) = folder.iterdir()
    file.touch()
    request.finish(status_code=200, body={"done": True})
    end_leases_left_behind()
    assert begin(tenant.id, "key", "fingerprint") == Replay(200, {"done": True})
