"""JSON as the standard has it, with no room for two readings."""

import codecs
import json
from collections.abc import Mapping, Sequence
from typing import IO, Any, NoReturn

from django.http import HttpRequest
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import JSONParser, get_encoding  # type: ignore[attr-defined]  # the stubs lack it
from rest_framework.request import Request


class StrictJSONParser(JSONParser):
    """Nesting too deep for Python is the sender's error, not ours."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        if parser_context and "request" in parser_context:
            check_not_compressed(parser_context["request"])
        encoding = get_encoding(parser_context or {})
        try:
            text = codecs.getreader(encoding)(stream)
            return json.load(text, parse_constant=refuse_constant, object_pairs_hook=read_object)
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        except ValueError as fault:
            raise ParseError(f"JSON parse error - {fault}") from None


def check_not_compressed(request: Request | HttpRequest) -> None:
    """The limit of a body holds for what is sent; nobody limits what it would become."""
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in {"identity", ""}:
        raise UnsupportedMediaType("", "Compressed bodies are not taken: send it as it is, without Content-Encoding.")


def refuse_constant(name: str) -> NoReturn:
    """Python would read NaN and Infinity."""
    raise ValueError(f"{name} is no JSON")


def read_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Of a name that is there twice most readers take the last value, some the first: what was checked on the way to us
    may be another than we would read.
    """
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name in read:
            raise ValueError(f"{json.dumps(name)} is there twice in one object")
        read[name] = value
    return read
