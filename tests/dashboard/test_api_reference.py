"""The API reference: every operation has a group and a page, with its fields, a sample and its errors."""

import json

import pytest
from django.test import Client

from memoryplatform.api.openapi import build_openapi
from memoryplatform.dashboard.api_reference import GROUPS, Reader, read_reference

REFERENCE = read_reference()


def test_every_operation_of_the_description_is_in_a_group() -> None:
    described = {
        one["operationId"] for methods in json.loads(build_openapi())["paths"].values() for one in methods.values()
    }
    assert set(REFERENCE.operations) == described
    assert list(REFERENCE.groups) == [group for group in GROUPS if group != "Other"]
    assert [one.id for one in REFERENCE.groups["Retain, recall, reflect"]][:2] == ["retain", "recall"]
    assert sum(map(len, REFERENCE.groups.values())) == len(described)


def test_every_operation_has_a_page(client: Client) -> None:
    for operation in REFERENCE.operations.values():
        page = client.get(f"/docs/api/{operation.id}/")
        assert page.status_code == 200, operation.id
        assert operation.path in page.content.decode()


def test_the_page_of_recall_names_its_fields(client: Client) -> None:
    page = client.get("/docs/api/recall/").content.decode()
    for text in ('<code class="api-name">max_tokens</code>', "default <code>4,096</code>", "<code>opinion</code>"):
        assert text in page
    assert "http://testserver/v1/banks/support/memories/recall" in page


def test_a_sample_body_is_the_example_or_has_the_required_fields() -> None:
    assert json.loads(REFERENCE.operations["recall"].sample_body)["query"] == "Where does Alice live?"
    fields = {"useful": {"type": "boolean"}, "comment": {"type": "string"}}
    body = {"schema": {"type": "object", "properties": fields, "required": ["useful"]}}
    assert Reader({}).choose_sample(body) == {"useful": True}
    assert REFERENCE.operations["list_banks"].sample_body == ""


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["array", "null"], "items": {"type": "string", "format": "uuid"}}, "list of uuid or null"),
        ({"oneOf": [{"$ref": "#/components/schemas/Range"}, {"type": "null"}]}, "object or null"),
        ({"allOf": [{"$ref": "#/components/schemas/Range"}], "description": "When."}, "object"),
        ({}, "any"),
    ],
)
def test_the_kind_of_a_field_in_words(schema: dict[str, object], kind: str) -> None:
    reader = Reader({"schemas": {"Range": {"type": "object", "properties": {"from": {"type": "string"}}}}})
    field = reader.read_field("occurred", schema, is_required=False)
    assert field.kind == kind
    assert [one.name for one in field.fields] == (["from"] if "object" in kind else [])


def test_the_list_can_be_filtered(client: Client) -> None:
    page = client.get("/docs/api/?q=webhook+PING").content.decode()
    assert page.count('class="api-row"') == 1
    assert 'href="/docs/api/ping_webhook/"' in page
    nothing = client.get("/docs/api/", {"q": "<script>alert(1)</script>"}).content.decode()
    assert 'class="api-row"' not in nothing
    assert "<script>alert" not in nothing
    assert "data-none>" in nothing


def test_the_search_of_the_docs_finds_operations(client: Client) -> None:
    assert 'href="/docs/api/ping_webhook/"' in client.get("/docs/search/?q=ping").content.decode()


def test_an_unknown_operation_is_a_page_that_says_so(client: Client) -> None:
    answer = client.get("/docs/api/nowhere/")
    assert answer.status_code == 404
    assert "The docs have no page" in answer.content.decode()
