"""The content of the logs, and the secrets that they never hold."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any, Literal
from unittest import mock

import psycopg
import pytest
import structlog

from memoryplatform.api.json_format import FastJSONRenderer
from memoryplatform.observability.logging import configure, logging_config
from memoryplatform.operations.banks import profile
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant

SECRET_TEXT = "Alice told me about her illness"


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """The log in production's format, at the most verbose level."""
    out = io.StringIO()
    config = logging_config(level="DEBUG", form="json")
    config["handlers"]["stderr"]["stream"] = out
    structlog.reset_defaults()
    configure(config)
    yield out
    configure(logging_config(level="WARNING", form="json"))


def events(out: io.StringIO, name: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return [line for line in lines if line["event"] == name]


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant()


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def test_a_request_is_one_line_with_its_id_and_tenant(logged: io.StringIO, call: Caller, tenant: Tenant) -> None:
    call("GET", "/v1/banks/mine", X_Request_ID="r1")
    (line,) = events(logged, "request")
    assert (line["request_id"], line["tenant_id"], line["status"]) == ("r1", str(tenant.id), 404)
    assert line["route"] == "/v1/banks/<str:bank_id>"
    assert line["ms"] > 0


def test_the_tenant_of_one_request_is_not_in_the_next(logged: io.StringIO, call: Caller) -> None:
    call("GET", "/v1/banks")
    Caller("")("GET", "/v1/banks")
    assert "tenant_id" not in events(logged, "request")[1]


def test_neither_keys_nor_texts_are_logged(logged: io.StringIO, call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "b", "background": SECRET_TEXT})
    call("POST", "/v1/banks", {"bank_id": "b", "background": SECRET_TEXT})  # a unique violation quotes the row
    call("POST", "/v1/banks", {"background": [SECRET_TEXT]})
    call("POST", "/v1/banks", b'{"background": "' + SECRET_TEXT.encode())
    with mock.patch.object(profile, "create_bank", side_effect=ValueError(SECRET_TEXT)):
        assert call("POST", "/v1/banks", {}).status_code == 500
    text = logged.getvalue()
    assert SECRET_TEXT not in text
    assert call.key not in text
    assert call.key.split("_", 2)[2] not in text


def test_an_answer_that_cannot_be_written_is_logged_once(logged: io.StringIO, call: Caller) -> None:
    """No view raises this error, and Django's own message would name the path."""
    with mock.patch.object(FastJSONRenderer, "render", side_effect=ValueError(SECRET_TEXT)):
        assert call("GET", "/v1/banks", X_Request_ID="r1").status_code == 500
    (line,) = events(logged, "api.unexpected_error")
    assert (line["request_id"], line["exception"]) == ("r1", "ValueError")
    assert "rendered_content" in line["stack"]
    assert SECRET_TEXT not in logged.getvalue()


def test_an_exception_is_named_without_its_message(logged: io.StringIO) -> None:
    def break_down() -> None:
        raise RuntimeError(SECRET_TEXT) from ValueError(SECRET_TEXT)

    try:
        break_down()
    except RuntimeError:
        structlog.get_logger("test").exception("it.broke")
        logging.getLogger("foreign").exception("it.broke too")
    ours, foreign = events(logged, "it.broke")[0], events(logged, "it.broke too")[0]
    for line in (ours, foreign):
        assert line["exception"] == "RuntimeError <- ValueError"
        assert "test_an_exception_is_named" in line["stack"]
    assert SECRET_TEXT not in logged.getvalue()


def test_a_database_error_is_named_with_its_state(logged: io.StringIO) -> None:
    structlog.get_logger("test").error("it.broke", exc_info=psycopg.errors.UniqueViolation(SECRET_TEXT))
    assert events(logged, "it.broke")[0]["exception"] == "UniqueViolation 23505"


def test_a_key_that_slips_into_a_message_is_hidden(logged: io.StringIO) -> None:
    logging.getLogger("foreign").warning("got mpk_0123456789ab_abcdefghijklmnop from a header")
    assert "got mpk_*** from a header" in logged.getvalue()


FORGED = 'x\r\n{"event": "forged", "level": "error"}\x1b[2J\u2028forged\x00'


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_text_of_a_stranger_begins_no_line_of_the_log(form: Literal["json", "console"]) -> None:
    out = io.StringIO()
    config = logging_config(level="DEBUG", form=form)
    config["handlers"]["stderr"]["stream"] = out
    structlog.reset_defaults()
    configure(config)
    try:
        structlog.get_logger("test").warning("it.happened", name=FORGED)
        logging.getLogger("foreign").warning("got %s", FORGED)
    finally:
        configure(logging_config(level="WARNING", form="json"))
    lines = out.getvalue().splitlines()
    assert len(lines) == 2, lines
    assert not any(character in out.getvalue() for character in "\r\x1b\x00")


def test_a_request_forges_no_line(logged: io.StringIO, call: Caller) -> None:
    encoded = "%0d%0a%7B%22event%22%3A%22forged%22%7D"
    call("GET", f"/v1/banks/{encoded}?q={encoded}", X_Request_ID="r1\tforged", User_Agent="forged\x1b[2J")
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert all(line["event"] != "forged" for line in lines)
    (line,) = events(logged, "request")
    assert "forged" not in json.dumps(line)
