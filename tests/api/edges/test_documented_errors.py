"""The table of docs/api.md has every error code of the API, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from rest_framework import exceptions

import memoryplatform.asgi
import memoryplatform.urls  # noqa: F401  # with the next line: every class of an answer is there
from banks.errors import BankError
from memoryplatform.api.errors import STATUS_OF, find_status
from memoryplatform.operations.account.errors import AccountError
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.transfer.errors import TransferError
from providers.errors import EmbeddingModelUnavailable
from reflection.errors import ReflectionError
from retrieval.errors import NothingSearched, Overloaded, QueryError, RecallNotFound
from tenants.transactions import QuotaExceeded

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/api.md").read_text()
# Raised by the framework, under the framework's own names.
FRAMEWORK = (
    exceptions.ParseError,
    exceptions.PermissionDenied,
    exceptions.NotFound,
    exceptions.MethodNotAllowed,
    exceptions.NotAcceptable,
    exceptions.UnsupportedMediaType,
)
RENAMED = {(401, "unauthenticated"), (422, "invalid")}  # AuthenticationFailed and ValidationError
NOBODY = 499  # the client has disconnected
WITHOUT_CODE = "memoryplatform.api.compat."  # errors in other products' shapes have no code
TELLS = {"build_error", "make_error_view"}  # (status, sentence, code)

OUR_ERRORS = (
    AccountError,
    BankError,
    EmbeddingModelUnavailable,
    ReflectionError,
    OperationError,
    TransferError,
    QueryError,
    QuotaExceeded,
    RecallNotFound,
    NothingSearched,
    Overloaded,
)

Told = tuple[int, str]


def list_documented() -> set[Told]:
    table = PAGE.partition("| status | code | when |")[2].partition("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines()[2:]]
    return {(int(row[1]), code) for row in rows for code in re.findall(r"`(\w+)`", row[2])}


def list_raised(base: type[exceptions.APIException] = exceptions.APIException) -> Iterator[Told]:
    for one in base.__subclasses__():
        own = one.__module__.startswith("memoryplatform.") and not one.__module__.startswith(WITHOUT_CODE)
        is_renamed = issubclass(one, exceptions.ValidationError)
        if (own or one in FRAMEWORK) and one.status_code != NOBODY and not is_renamed:
            yield one.status_code, str(one.default_code)
        yield from list_raised(one)


def list_codes(*bases: type[Exception]) -> Iterator[str]:
    for base in bases:
        yield getattr(base, "code", "")
        yield from list_codes(*base.__subclasses__())


def list_written() -> Iterator[Told]:
    """Error responses that are built in place."""
    for path in (ROOT / "memoryplatform/api/errors.py", ROOT / "memoryplatform/urls.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[code, _, ast.Constant(value=str(word)), *_]) if (
                    name in TELLS
                ):
                    yield read_status(code), word


def read_status(node: ast.expr) -> int:
    return int(ast.unparse(node).removeprefix("status.HTTP_").split("_")[0])


def list_words(folder: Path) -> Iterator[str]:
    """Codes that the source names as a string: of an object that is sent unchanged, or of a framework's exception."""
    for path in folder.rglob("*.py"):
        if not path.is_relative_to(ROOT / WITHOUT_CODE.replace(".", "/")):
            for node in ast.walk(ast.parse(path.read_text())):
                yield from find_words(node)


def find_words(node: ast.AST) -> Iterator[str]:
    given: list[ast.expr] = []
    match node:
        case ast.Dict():
            given = [value for key, value in zip(node.keys, node.values, strict=True) if is_code(key)]
        case ast.Call(func=ast.Name(id=name)) if name in {one.__name__ for one in FRAMEWORK}:
            given = [one.value for one in node.keywords if one.arg == "code"]
    yield from (one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str))


def is_code(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "code"


def test_every_code_is_documented_with_its_status() -> None:
    codes = set(list_codes(*OUR_ERRORS))
    assert codes >= set(STATUS_OF)
    mapped = {(status, code) for code in codes if (status := find_status(code))}
    answered = (
        mapped | set(list_raised()) | set(list_written()) | RENAMED | {(413, "body_too_large"), (408, "body_too_slow")}
    )
    assert list_documented() == answered


def test_every_code_in_the_source_is_documented() -> None:
    words = {
        word for folder in ("api", "server", "observability") for word in list_words(ROOT / "memoryplatform" / folder)
    }
    assert words >= {"body_too_large", "body_too_slow", "bad_request"}
    assert words <= {code for _, code in list_documented()}
