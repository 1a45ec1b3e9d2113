from datetime import UTC, datetime

from banks.models import Message
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.retain import retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

MONDAY = datetime(2024, 5, 6, tzinfo=UTC)


def test_messages_of_several_threads_in_one_item_stay_separate(tenant: Tenant) -> None:
    messages = (
        GivenMessage("user", "Ana lives in Porto.", MONDAY, name="Ana", thread="a"),
        GivenMessage("user", "Ben lives in Lisbon.", MONDAY, name="Ben", thread="b"),
        GivenMessage("user", "Porto is warm in May.", MONDAY, name="Ana", thread="a"),
        GivenMessage("user", "Good to know about May.", MONDAY, name="Cleo"),
    )
    retain(BankAccess(tenant.id), "support", [RetainItem(MONDAY, messages=messages, thread="usual")], wait=True)
    with tenant_transaction(tenant.id):
        rows = Message.objects.for_tenant(tenant.id).select_related("episode").order_by("id")
        assert [row.thread for row in rows] == ["a", "b", "a", "usual"]
        assert all(row.episode is not None and row.episode.thread == row.thread for row in rows)
        assert not rows.filter(extracted_at=None).exists()
