from typing import Unpack

import httpx

from memoryplatform_client.calls import Call
from memoryplatform_client.models.audit_events import AuditEvent
from memoryplatform_client.options.lists import AuditConditions, AuditFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import encode_query, path_of


def read_text(response: httpx.Response) -> str:
    return response.text


class AuditEvents(Resource[S_co]):
    """For keys with the scope `admin`."""

    @listed
    def list(self, **wanted: Unpack[AuditFilter]) -> Listing[AuditEvent]:
        return list_of("/audit-events", AuditEvent, wanted, rows="events")

    @route
    def export(self, **wanted: Unpack[AuditConditions]) -> Call[str]:
        """The events as CSV, the newest first."""
        return Call("GET", "/audit-events/csv", read_text, query=encode_query(wanted))

    @listed
    def of_bank(self, bank_id: str, **wanted: Unpack[AuditFilter]) -> Listing[AuditEvent]:
        return list_of(path_of("banks", bank_id, "audit-events"), AuditEvent, wanted, rows="events")
