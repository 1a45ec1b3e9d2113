"""The documents of a bank, and one of them with the memories of its passages."""

import html
import re
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.test import Client

from banks.models import Bank, Document, MemoryUnit
from banks.retain.input import RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.retain import retain
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import sign_in
from tests.dashboard.conftest import find_unit
from tests.factories import make_tenant

LIST = "/dashboard/banks/support/documents/"
ONE = "/dashboard/banks/support/document/"
MAY = datetime(2026, 5, 8, 14, tzinfo=UTC)


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def read(client: Client, path: str, **query: object) -> str:
    answer = client.get(f"{path}?{urlencode(query)}" if query else path)
    assert answer.status_code == 200, path
    return html.unescape(answer.content.decode())


def file(tenant: Tenant, name: str, text: str, **labels: object) -> None:
    item = RetainItem(MAY, text=text, document_id=name, **labels)  # type: ignore[arg-type]
    assert retain(BankAccess(tenant.id), "support", [item], wait=True).status == "completed"


def test_documents_are_listed_and_found_by_name_and_by_words(client: Client, acme: Tenant, support: Bank) -> None:
    file(acme, "notes/garden.md", "Dele grows tomatoes behind the library.")
    file(acme, "Plan & budget", "The budget of the group is 400 pounds.", context="Year plan")
    page = read(client, LIST)
    assert page.index("Plan & budget") < page.index("notes/garden.md")
    assert "1 memory, 39 characters" in page
    for words in ("tomatoes", "tomat", "notes/", "GARDEN"):
        found = read(client, LIST, q=words)
        assert "notes/garden.md" in found, words
        assert "Plan & budget" not in found, words
    assert "Plan & budget" in read(client, LIST, q="year")
    assert "No document has “kangaroo”" in read(client, LIST, q="kangaroo")
    assert read(client, LIST, before="nonsense").count("nonsense") == 1


def test_a_bank_without_documents_says_how_to_add_one(client: Client, support: Bank) -> None:
    assert "No document yet." in read(client, LIST)


def test_a_passage_has_its_memories_beside_it(client: Client, acme: Tenant, support: Bank) -> None:
    file(acme, "garden", "Dele grows tomatoes behind the library. Mara paints <b>boats</b>.", tags=("green",))
    unit = find_unit(support, "tomatoes")
    page = client.get(ONE, {"id": "garden", "from": str(unit.id)}).content.decode()
    assert "every 3s" not in page
    assert re.search(r'<mark class="said said-world said-quoted">[^<]*tomatoes', page)
    assert f"memories/{unit.id}/" in page
    assert "You came from" in page
    assert "<b>boats" not in page
    assert "?tag=green" in page
    memory = read(client, f"/dashboard/banks/support/memories/{unit.id}/")
    (address,) = re.findall(r'href="(/dashboard/banks/support/document/[^"]+)"', memory)
    assert "said-quoted" in read(client, address)


def test_a_long_document_is_read_in_parts_without_repetitions(client: Client, acme: Tenant, support: Bank) -> None:
    lines = [f"Line {number:04} says that house {number} of the street has {number} windows." for number in range(900)]
    file(acme, "street", "\n".join(lines), infer=False)
    seen: list[str] = []
    path = f"{ONE}?id=street"
    pages = 0
    while path:
        page = client.get(path).content.decode()
        texts = re.findall(r'<p class="memory-text">(.*?)</p>', page, re.DOTALL)
        seen += re.findall(r"Line (\d+) says", re.sub(r"<[^>]+>", "", " ".join(texts)))
        following = re.findall(r'href="(\?id=street&amp;at=\d+)"', page)
        path = ONE + html.unescape(following[0]) if following else ""
        pages += 1
    assert pages > 1
    assert [int(one) for one in seen] == list(range(900))
    assert "Line 0000 says" in read(client, ONE, id="street", at=10**8)
    assert "Line 0000 says" in read(client, ONE, id="street", at="x")


def test_a_document_is_deleted_with_its_memories(client: Client, acme: Tenant, support: Bank) -> None:
    file(acme, "garden", "Dele grows tomatoes behind the library.")
    answer = client.post(f"{ONE}delete/?id=garden", follow=True)
    assert "“garden” is deleted, with 1 memory" in html.unescape(answer.content.decode())
    with tenant_transaction(acme.id):
        assert not Document.objects.of_bank(support).exists()
        assert not MemoryUnit.objects.of_bank(support).filter(text__contains="tomatoes").exists()
    assert client.get(ONE, {"id": "garden"}).status_code == 404
    assert client.post(f"{ONE}delete/?id=garden").status_code == 404


def test_a_document_is_extracted_again(client: Client, acme: Tenant, support: Bank) -> None:
    file(acme, "garden", "Dele grows tomatoes behind the library.")
    former = find_unit(support, "tomatoes")
    answer = client.post(f"{ONE}extract/?id=garden", follow=True)
    assert "extracted again" in answer.content.decode()
    assert "A worker is reading this text" in answer.content.decode()
    assert 'hx-trigger="every 3s"' in answer.content.decode()
    with tenant_transaction(acme.id):
        assert not MemoryUnit.objects.of_bank(support).filter(id=former.id).exists()
        assert Document.objects.of_bank(support).get().document_id == "garden"


def test_another_tenants_document_is_not_found(client: Client, acme: Tenant, support: Bank) -> None:
    file(make_tenant(), "theirs", "Dele grows tomatoes behind the library.")
    assert "theirs" not in read(client, LIST)
    for name in ("theirs", "nothing", "", "null\x00byte", "x" * 3000):
        answer = client.get(ONE, {"id": name})
        assert answer.status_code == 404
        assert "This document is not here" in answer.content.decode()
