"""A reviewer's actions in the browser, and their results."""

import re
from typing import Any
from uuid import UUID

from django.test import Client

from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction

QUEUE = "/admin/reflection/opinion/"


def page_of(opinion_id: UUID) -> str:
    return f"{QUEUE}{opinion_id}/change/"


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def read_version(page: str) -> str:
    found = re.search(r'name="version" value="([^"]+)"', page)
    assert found
    return found[1]


def send(client: Client, opinion_id: UUID, act: str, *, reason: str = "Looked at it.", **given: Any) -> Any:
    """Submit the form with the version of the opened page."""
    version = given.pop("version", None) or read_version(read(client, page_of(opinion_id)))
    body = {"act": act, "reason": reason, "version": version, "text": "", "confidence": "", **given}
    return client.post(page_of(opinion_id), body)


def list_texts(client: Client, **query: str) -> list[str]:
    """The texts of the opinions on the first page, in order."""
    response: Any = client.get(QUEUE, query)
    assert response.status_code == 200
    return [opinion.text for opinion in response.context_data["cl"].result_list]


def read_events(tenant: Tenant, action: str) -> list[AuditEvent]:
    with tenant_transaction(tenant.id):
        return list(AuditEvent.objects.for_tenant(tenant.id).filter(action=action).order_by("id"))
