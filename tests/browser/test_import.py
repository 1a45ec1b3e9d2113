"""The import in a browser: a file, its preview, its progress, and an error that is told."""

import json

from playwright.sync_api import Page, expect

from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from tenants.transactions import tenant_transaction
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import make_bank
from tests.operations.imports.test_readers import CHATGPT, MEM0

PAGE = "/dashboard/banks/kitchen/import/"


def test_a_file_is_previewed_imported_and_watched(page: Page, signed_in: SignIn) -> None:
    acme = signed_in(page, "member")
    make_bank(acme, bank_id="kitchen", name="Kitchen agent")
    page.goto(PAGE)
    check_page(page, "import")
    chats = {"name": "conversations.json", "mimeType": "application/json", "buffer": json.dumps(CHATGPT).encode()}
    page.get_by_label("File").set_input_files(chats)  # type: ignore[arg-type]  # a dict of the right shape
    expect(page.get_by_text("conversations.json", exact=True)).to_be_visible()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("What goes with fennel?")).to_be_visible()
    check_page(page, "import-preview")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="Waiting for a worker…")).to_be_visible()
    check_page(page, "import-progress")
    with tenant_transaction(acme.id):
        operation = Operation.objects.for_tenant(acme.id).get()
    perform(acme.id, operation.id)
    expect(page.get_by_role("heading", name="The import is done")).to_be_visible()
    check_page(page, "import-done")


def test_a_file_that_can_not_be_read_is_told(page: Page, signed_in: SignIn, expected_statuses: set[int]) -> None:
    make_bank(signed_in(page, "member"), bank_id="kitchen")
    expected_statuses.add(422)
    page.goto(PAGE)
    page.get_by_label("Paste a text").fill('[{"colour": "red"}]')
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("This JSON has no known format.")).to_be_visible()
    expect(page.get_by_label("Paste a text")).to_have_value('[{"colour": "red"}]')
    check_page(page, "import-error")
    page.get_by_label("Paste a text").fill(json.dumps(MEM0))
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Likes tea")).to_be_visible()
    check_page(page, "import-preview-memories")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("Nothing was imported.")).to_be_visible()
