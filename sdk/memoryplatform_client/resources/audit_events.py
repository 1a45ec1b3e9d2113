from typing import Unpack

from memoryplatform_client.models.audit_events import AuditEvent
from memoryplatform_client.options.lists import AuditFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed
from memoryplatform_client.wire import path_of


class AuditEvents(Resource[S_co]):
    """For keys with the scope `admin`."""

    @listed
    def list(self, **wanted: Unpack[AuditFilter]) -> Listing[AuditEvent]:
        return list_of("/audit-events", AuditEvent, wanted, rows="events")

    @listed
    def of_bank(self, bank_id: str, **wanted: Unpack[AuditFilter]) -> Listing[AuditEvent]:
        return list_of(path_of("banks", bank_id, "audit-events"), AuditEvent, wanted, rows="events")
