"""Control and format characters in names and texts are shown by their number.

A name may hold U+202E, which reverses the letters after it, or letters that nobody sees but a language model reads.
Every page of a tenant passes through `show_controls`, and every event of a stream through `show_in_event`, so no
template and no script can forget it.
"""

import json
import re
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase

# Zero-width joiners, soft hyphens and single direction marks stay: languages need them.
CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f"
MAY_HAVE_CONTROLS = re.compile(rf"[{CONTROLS}]|\\u")  # JSON may write any character as \u202e
FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"  # that of Scotland is written with tags
IN_TEXT = re.compile(rf"({FLAG})|([{CONTROLS}])")
# Fields of forms send their values back, so these stay as they are.
KEPT = rf"<textarea\b.*?</textarea>|\bvalue=\"[^\"]*\"|{FLAG}"
SCRIPT = r"(<script\b[^>]*\btype=\"application/json\"[^>]*>)(.*?)(?=</script>)"
IN_HTML = re.compile(rf"({KEPT})|{SCRIPT}|([{CONTROLS}])", re.DOTALL)
NO_TAGS = str.maketrans({"<": "\\u003C", ">": "\\u003E", "&": "\\u0026"})  # as the filter json_script


def show_controls(answer: HttpResponseBase) -> None:
    if not isinstance(answer, HttpResponse):
        return
    kind = answer.headers.get("Content-Type", "")
    if kind.startswith("text/html"):
        answer.content = show_in_html(answer.content.decode()).encode()
    elif kind.startswith("application/json"):
        answer.content = show_in_json(answer.content.decode()).encode()


def show_in_html(page: str) -> str:
    return IN_HTML.sub(write_part, page) if MAY_HAVE_CONTROLS.search(page) else page


def write_part(found: re.Match[str]) -> str:
    kept, begin, script, character = found.groups()
    if begin:
        return f"{begin}{show_in_json(script).translate(NO_TAGS)}"
    return kept or write_number(character)


def show_in_event(event: bytes) -> bytes:
    """A server-sent event has its data, which is JSON, in its last line. A silent step of a stream is empty."""
    head, mark, data = event.decode().partition("\ndata: ")
    return f"{head}{mark}{show_in_json(data.rstrip())}\n\n".encode() if mark else event


def show_in_json(text: str) -> str:
    return json.dumps(show_in_value(json.loads(text)), ensure_ascii=False) if MAY_HAVE_CONTROLS.search(text) else text


def show_in_value(value: Any) -> Any:
    match value:
        case str():
            return IN_TEXT.sub(lambda found: found[1] or write_number(found[2]), value)
        case list():
            return [show_in_value(one) for one in value]
        case dict():
            return {show_in_value(name): show_in_value(one) for name, one in value.items()}
    return value


def write_number(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
