import io
import json
import re
from collections import Counter
from functools import cache
from time import perf_counter

from django.core.management import call_command
from django.test import Client
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from memoryplatform.api.openapi import build_openapi
from memoryplatform.api.openapi_document import read_examples
from tests.api.test_isolation import api_methods, is_ours, routes
from tests.clock import holds_to_a_time


@cache
def build_schema() -> dict:  # type: ignore[type-arg]
    out = io.StringIO()
    call_command("spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn", stdout=out)
    return dict(json.loads(out.getvalue()))


MOST_BYTES = 400_000


def list_described() -> dict[str, dict]:  # type: ignore[type-arg]
    paths = build_schema()["paths"].values()
    return {operation["operationId"]: operation for methods in paths for operation in methods.values()}


def resolve(part: dict) -> dict:  # type: ignore[type-arg]
    """The part of the document that a reference names, or the part itself."""
    for name in part.get("$ref", "#").split("/")[1:]:
        part = build_schema()[name] if name == "components" else part[name]
    return part


def path_of(route: str) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)


def test_the_description_is_valid_and_makes_no_warning() -> None:
    assert build_schema()["openapi"].startswith("3.1")


def test_the_description_keeps_the_rules_of_openapi() -> None:
    faults = OpenAPIV31SpecValidator(json.loads(build_openapi())).iter_errors()
    assert [f"{fault.message} at {list(fault.absolute_path)}" for fault in faults] == []


def test_the_description_is_small_enough_to_load_in_a_browser() -> None:
    assert len(build_openapi()) < MOST_BYTES


def list_examples(content: dict) -> list[object]:  # type: ignore[type-arg]
    """The examples of a media type, its own or those of the components."""
    shared = [resolve(one)["value"] for one in content.get("examples", {}).values()]
    return [*shared, *([content["example"]] if "example" in content else [])]


def list_parts(operation: dict) -> list[dict]:  # type: ignore[type-arg]
    """The request and the response of a success, as far as they have a body."""
    answers = [response for status, response in operation["responses"].items() if status.startswith("2")]
    return [part for part in [operation.get("requestBody", {}), *answers] if part.get("content")]


def test_every_body_of_every_operation_has_an_example() -> None:
    described = list_described()
    assert set(read_examples()) <= set(described)
    assert len(described) > 130
    for name, operation in described.items():
        for part in list_parts(operation):
            assert any(list_examples(content) for content in part["content"].values()), name


def test_every_example_matches_its_schema() -> None:
    components = build_schema()["components"]
    for name, operation in list_described().items():
        for part in list_parts(operation):
            for content in part["content"].values():
                checker = Draft202012Validator({**content["schema"], "components": components})
                for example in list_examples(content):
                    assert [fault.message for fault in checker.iter_errors(example)] == [], name


def test_a_field_that_a_patch_needs_is_marked_as_required() -> None:
    schemas = build_schema()["components"]["schemas"]
    assert schemas["RoleInput"]["required"] == ["role"]
    assert "required" not in schemas["BankChangeInput"]


def test_every_reference_points_to_something() -> None:
    schema = build_schema()
    there = {f"#/components/{kind}/{name}" for kind, named in schema["components"].items() for name in named}
    assert set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(schema))) <= there


def test_no_choice_of_schemas_has_one_that_everything_fits() -> None:
    """Null would match both `{}` and null, and `oneOf` requires exactly one match."""
    assert '"oneOf": [{}' not in json.dumps(build_schema())


def test_every_route_is_described_with_its_errors() -> None:
    described = {
        (method.upper(), path): operation
        for path, methods in build_schema()["paths"].items()
        for method, operation in methods.items()
    }
    for method, route in api_methods():
        operation = described[method, path_of(route)]
        assert operation["summary"]
        assert {"401", "404", "422", "503"} <= set(operation["responses"])
        takes_session = route.startswith(("v1/account", "v1/erasures")) or route.endswith("/legal-hold")
        session: list[dict[str, list[str]]] = [{"session": []}] if takes_session else []
        assert operation["security"] == [*session, {"apiKey": []}]


def test_requests_that_write_say_that_they_take_an_idempotency_key() -> None:
    paths = build_schema()["paths"]
    for route, callback in routes():
        post = getattr(getattr(callback, "view_class", None), "post", None)
        if is_ours(route, callback) and post is not None:
            described = paths[path_of(route)]["post"].get("parameters", [])
            says_so = "Idempotency-Key" in {resolve(parameter)["name"] for parameter in described}
            assert says_so == getattr(post, "is_idempotent", False), route


def test_the_pages_for_people_load_without_another_host() -> None:
    for path in ("/docs/api/", "/docs/api/recall/"):
        page = Client().get(path)
        assert page.status_code == 200
        assert "https://" not in page.content.decode().replace("https://www.w3.org", "")


def test_bodies_say_that_unknown_fields_are_refused() -> None:
    schemas = build_schema()["components"]["schemas"]
    bodies = {name: shape for name, shape in schemas.items() if name.endswith("Input")}
    assert {"RetainInput", "ItemInput", "EntityInput", "BankChangeInput"} <= set(bodies)
    assert [name for name, shape in bodies.items() if shape.get("additionalProperties") is not False] == []
    assert "additionalProperties" not in schemas["BankOutput"]  # responses may gain fields


def test_the_items_of_a_retain_are_described_field_by_field() -> None:
    schemas = build_schema()["components"]["schemas"]
    assert schemas["RetainInput"]["properties"]["items"]["items"] == {"$ref": "#/components/schemas/ItemInput"}
    assert {"content", "messages", "document_id", "infer"} <= set(schemas["ItemInput"]["properties"])


@holds_to_a_time
def test_the_description_is_built_once_and_revalidated_by_etag(client: Client) -> None:
    first = client.get("/v1/openapi.json")
    began = perf_counter()
    again = client.get("/v1/openapi.json", headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert perf_counter() - began < 0.5
    assert json.loads(first.content)["paths"] == build_schema()["paths"]


def test_the_description_is_json_whoever_asks(client: Client) -> None:
    response = client.get("/v1/openapi.json")
    assert response.headers["Content-Type"].startswith("application/vnd.oai.openapi+json")
    assert json.loads(response.content)["openapi"].startswith("3.1")


def test_no_description_is_handed_down_from_a_base() -> None:
    schemas = build_schema()["components"]["schemas"].values()
    told = Counter(shape["description"] for shape in schemas if "description" in shape)
    assert [text for text, times in told.items() if times > 1] == []
