"""Requests generated from the OpenAPI description, valid and invalid: no 500, and every response matches it.

Two tenants with a bank of the same name send each of them, with the ids of the first. A word that only the texts of the
one tenant have must not be in an answer to the other.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from tests.factories import make_key_with_text, make_tenant

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


class Leak(Exception):
    pass


@dataclass
class Sender:
    """A tenant's session, and the word that only its texts have."""

    session: requests.Session
    word: str
    answers_with_word: int = 0


def make_sender(tenant: Tenant, word: str) -> Sender:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {make_key_with_text(tenant, scopes=['admin'])[1]}"
    return Sender(session, word)


def try_operation(
    operation: APIOperation[Any, Any, Any, Any],
    mode: Mode,
    known: dict[str, str],
    base_url: str,
    senders: Sequence[Sender],
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
        for sender in senders:
            answer = case.call_and_validate(base_url, session=sender.session, checks=CHECKS, timeout=30)
            check_words(answer.text, sender, senders)

    send()


def check_words(answer: str, sender: Sender, senders: Sequence[Sender]) -> None:
    sender.answers_with_word += sender.word in answer
    for other in senders:
        if other is not sender and other.word in answer:
            raise Leak(f"The answer to one tenant has the word of another: {answer[:2_000]}")


def find_faults(base_url: str, senders: Sequence[Sender], things: dict[str, str]) -> Iterator[str]:
    for operation in list_operations(base_url):
        names = {parameter.name for parameter in operation.path_parameters}
        known = {name: value for name, value in things.items() if name in names}
        for mode, ids in ((Mode.POSITIVE, known), (Mode.NEGATIVE, known), (Mode.POSITIVE, {})):
            try:
                try_operation(operation, mode, ids, base_url, senders)
            except (FailureGroup, Leak) as failure:
                yield f"{operation.label} ({mode.value}, {sorted(ids)}): {failure}"


def test_a_word_of_another_tenant_is_a_leak() -> None:
    senders = [Sender(requests.Session(), word) for word in ("vermilion", "turquoise")]
    check_words("Alice paints vermilion.", senders[0], senders)
    assert senders[0].answers_with_word == 1
    with pytest.raises(Leak, match="Alice paints turquoise"):
        check_words("Alice paints turquoise.", senders[0], senders)


# The server's threads draw from `random` while Hypothesis, in this one, watches its state.
@pytest.mark.filterwarnings("ignore:Do not use the .random. module:hypothesis.errors.HypothesisDeprecationWarning")
@pytest.mark.timeout(300 * EXAMPLES)
def test_no_request_gets_an_answer_that_is_not_described(acme: Tenant, base_url: str, small_models: None) -> None:
    other = make_tenant("globex")
    things, _ = make_things(acme, "vermilion"), make_things(other, "turquoise")
    senders = [make_sender(acme, "vermilion"), make_sender(other, "turquoise")]
    faults = list(find_faults(base_url, senders, things))
    assert not faults, "\n\n".join(faults)
    assert all(one.answers_with_word > 0 for one in senders)
