"""Requests generated from the OpenAPI description, valid and invalid: no 500, and every response matches it."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation
from schemathesis import GenerationMode as Mode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tenants.models import Tenant
from tests.api.edges.conftest import make_things
from tests.factories import make_key_with_text

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "2"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ORDER = ("get", "post", "patch", "put", "delete")  # reads come before deletions


@schemathesis.serializer("application/x-ndjson")
def send_as_it_is(_context: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def list_operations(base_url: str) -> list[APIOperation[Any, Any, Any, Any]]:
    schema = schemathesis.openapi.from_dict(requests.get(f"{base_url}/v1/openapi.json", timeout=60).json())
    found = list(schema.get_all_operations())
    operations = [one.ok() for one in found if isinstance(one, Ok)]
    assert len(operations) == len(found)
    return sorted(operations, key=lambda one: (ends_the_bank(one), ORDER.index(one.method)))


def ends_the_bank(operation: APIOperation[Any, Any, Any, Any]) -> bool:
    return operation.method == "delete" and operation.path.endswith(("{bank_id}", "/memories"))


def try_operation(
    operation: APIOperation[Any, Any, Any, Any],
    mode: Mode,
    known: dict[str, str],
    base_url: str,
    session: requests.Session,
) -> None:
    strategy = operation.as_strategy(generation_mode=mode, path_parameters=known or None)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=EXAMPLES < 10,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def send(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(base_url, session=session, checks=CHECKS, timeout=30)

    send()


def find_faults(base_url: str, key: str, things: dict[str, str]) -> Iterator[str]:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {key}"
    for operation in list_operations(base_url):
        names = {parameter.name for parameter in operation.path_parameters}
        known = {name: value for name, value in things.items() if name in names}
        for mode, ids in ((Mode.POSITIVE, known), (Mode.NEGATIVE, known), (Mode.POSITIVE, {})):
            try:
                try_operation(operation, mode, ids, base_url, session)
            except FailureGroup as failure:
                yield f"{operation.label} ({mode.value}, {sorted(ids)}): {failure}"


# The server's threads draw from `random` while Hypothesis, in this one, watches its state.
@pytest.mark.filterwarnings("ignore:Do not use the .random. module:hypothesis.errors.HypothesisDeprecationWarning")
def test_no_request_gets_an_answer_that_is_not_described(acme: Tenant, base_url: str, small_models: None) -> None:
    things, key = make_things(acme), make_key_with_text(acme, scopes=["admin"])[1]
    faults = list(find_faults(base_url, key, things))
    assert not faults, "\n\n".join(faults)
