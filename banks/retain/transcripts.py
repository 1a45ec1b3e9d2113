"""Transcripts: documents whose text is a conversation. Each turn becomes the same memory as a message.

Recognised forms: lines "Alice: text", "[user]: text" and "**Alice:** text", blocks "[role: user] ... [user:end]", and a
JSON list of messages. In doubt a text stays a document: "Note: buy milk" has no speaker.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from banks.types import Role

ROLES: dict[str, tuple[Role, str]] = {
    "user": ("user", "User"),
    "human": ("user", "User"),
    "assistant": ("assistant", "Assistant"),
    "ai": ("assistant", "Assistant"),
    "bot": ("assistant", "Assistant"),
    "system": ("system", "System"),
    "tool": ("tool", "Tool"),
    "function": ("tool", "Tool"),
}
SPEAKING = frozenset({"user", "human", "assistant", "ai"})  # also a speaker in a text of one turn
# Words that head a note, a field, a line of a log or a section.
NO_SPEAKERS = frozenset(
    re.findall(
        r"\S+",
        """
    action address agenda answer attendees author bcc body caution cc cons critical date deadline debug decision
    description directions due email error example fact fatal fix fixed from fwd fyi goal hint host idea important info
    ingredients input instructions issue item key lesson link location log memo message method model name nb note notes
    notice option output owner part password phone plan port price problem pros ps q question reason reminder reply re
    result results rule section serves severity solution source status step subject summary tag tags task time tip title
    to todo topic total trace type update url username value verbose version warn warning
    """,
    )
)
WORD = r"[^\W\d_a-z][\w'\u2019.-]*"  # begins with a capital, or with a letter of a script without capitals
NAME = rf"{WORD}(?: (?:(?:de|da|del|la|le|van|von|der|bin|al) )?{WORD}){{0,2}}|(?i:speaker|participant) \d{{1,3}}"
LABEL = re.compile(
    rf"[ \t]*(?:\*\*(?P<bold>{NAME}|(?i:{'|'.join(ROLES)}))(?::\*\*|\*\*:)"
    rf"|\[(?P<brackets>{NAME}|(?i:{'|'.join(ROLES)}))\]:"
    rf"|(?P<plain>{NAME}|(?i:{'|'.join(ROLES)})):)(?=\s|$)"
)
LONGEST_LABEL = 40
LINE = re.compile(r"[^\n]*\S[^\n]*")
FIELD = re.compile(r"\s*[\w -]{1,40}:(?:\s|$)")
FENCE = re.compile(r"\s*(?:```|~~~)")
LABELLED = 0.8  # the least share of lines, or of paragraphs, that begin with a name
BLOCK = re.compile(r"\s*\[role:\s*(?P<role>\w+)\](?P<words>.*?)\[(?P=role):end\]\s*", re.DOTALL)
LIST = re.compile(r'\s*(?:\{\s*"messages"\s*:\s*)?\[\s*')
COMMA = re.compile(r"\s*,\s*")
STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"')
DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class WrittenTurn:
    """Characters `start` to `end` of a text are the words of a turn. `block_start` to `block_end` also hold its label.

    `words` differs from these characters only in JSON that escapes some of them.
    """

    speaker: str
    role: Role
    start: int
    end: int
    words: str
    block_start: int
    block_end: int
    said_at: datetime | None = None
    is_marked: bool = True  # by a role, or a field that only messages have


def find_turns(text: str, *, is_known: bool = False) -> list[WrittenTurn]:
    """The turns of a transcript; empty if the text is none. `is_known`: it is one, even if a single turn does not show
    it by itself.
    """
    if turns := read_json(text) or read_blocks(text):
        return turns
    labels = list_labels(text)
    if not labels or not (is_known or shows_speakers(text, labels)):
        return []
    ends = [*(label.start() for label in labels[1:]), len(text)]
    turns = [build_turn(text, label, end) for label, end in zip(labels, ends, strict=True)]
    return [turn for turn in turns if turn.words]


def list_speakers(text: str) -> list[str]:
    """The labels of a text that may be a transcript. A neighbouring text with the same label may prove it."""
    return list(dict.fromkeys(map(read_name, list_labels(text))))


def list_labels(text: str) -> list["re.Match[str]"]:
    """The labels of one form, if the text begins with one and nearly all of its lines or paragraphs do.

    A single turn, and the turns of roles, may have any number of lines: none begins with "User:" by chance.
    """
    first = LINE.search(text)
    opening = match_label(first) if first else None
    if opening is None:
        return []
    found = filter(None, map(match_label, list_prose(text)))
    labels = [label for label in found if label.lastgroup == opening.lastgroup]
    if is_role(opening):
        return [label for label in labels if is_role(label)]
    return labels if is_labelled_throughout(text, labels) else []


def list_prose(text: str) -> Iterator["re.Match[str]"]:
    """The lines outside of code blocks."""
    is_code = False
    for line in LINE.finditer(text):
        if FENCE.match(line.group()):
            is_code = not is_code
        elif not is_code:
            yield line


def match_label(line: "re.Match[str]") -> "re.Match[str] | None":
    label = LABEL.match(line.string, line.start(), line.end())
    if label is None or len(name := read_name(label)) > LONGEST_LABEL:
        return None
    return None if name.split()[0].casefold() in NO_SPEAKERS else label


def read_name(label: "re.Match[str]") -> str:
    return str(label[label.lastgroup or 0])


def is_role(label: "re.Match[str]") -> bool:
    return read_name(label).casefold() in ROLES


def is_labelled_throughout(text: str, labels: Sequence["re.Match[str]"]) -> bool:
    starts = {label.start() for label in labels}
    lines = [line.span() for line in LINE.finditer(text)]
    paragraphs = [0, *(start for (_, before), (start, _) in pairwise(lines) if start > before + 1)]
    at_lines = len(starts) / len(lines)
    at_paragraphs = len(starts.intersection(paragraphs)) / len(paragraphs) if len(paragraphs) > 1 else 0.0
    return len(labels) == 1 or max(at_lines, at_paragraphs) >= LABELLED


def shows_speakers(text: str, labels: Sequence["re.Match[str]"]) -> bool:
    """A label repeats and the labels are few beside the turns, or the labels are roles."""
    counts = Counter(map(read_name, labels))
    if SPEAKING.intersection(name.casefold() for name in counts) and all(map(is_role, labels)):
        return len(labels) > 1 or len([line for line in list_prose(text) if FIELD.match(line.group())]) <= 1
    return max(counts.values()) > 1 and len(counts) - 1 <= len(labels) / 2


def build_turn(text: str, label: "re.Match[str]", end: int) -> WrittenTurn:
    role, speaker = ROLES.get(read_name(label).casefold(), ("user", read_name(label)))
    return place_words(text, speaker, role, label.start(), label.end(), end)


def place_words(text: str, speaker: str, role: Role, block_start: int, start: int, end: int) -> WrittenTurn:
    inner = text[start:end]
    words = inner.strip()
    start += len(inner) - len(inner.lstrip())
    return WrittenTurn(speaker, role, start, start + len(words), words, block_start, start + len(words))


def read_blocks(text: str) -> list[WrittenTurn]:
    """Blocks "[role: user] ... [user:end]", with nothing between the blocks."""
    turns: list[WrittenTurn] = []
    position = 0
    while block := BLOCK.match(text, position):
        role, speaker = ROLES.get(block["role"].casefold(), ("user", block["role"]))
        turns.append(place_words(text, speaker, role, position, *block.span("words")))
        position = block.end()
    return [turn for turn in turns if turn.words] if position == len(text) else []


def read_json(text: str) -> list[WrittenTurn]:
    """A list of messages, or an object that begins with one under "messages"."""
    opening = LIST.match(text)
    turns: list[WrittenTurn] = []
    position = opening.end() if opening else len(text)
    while text[position : position + 1] == "{":
        try:
            element, end = DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        turn = read_message(text, element, position, end)
        if turn is None:
            return []
        turns.append(turn)
        comma = COMMA.match(text, end)
        position = comma.end() if comma else end
    return turns if text[position:].lstrip()[:1] == "]" and are_messages(turns) else []


def are_messages(turns: Sequence[WrittenTurn]) -> bool:
    """A list of products has names and texts too, but no name twice."""
    names = [turn.speaker for turn in turns]
    return len(set(names)) < len(names) or any(turn.is_marked for turn in turns)


def read_message(text: str, element: Mapping[str, Any], start: int, end: int) -> WrittenTurn | None:
    """None if the element has no speaker or no words."""
    words = pick(element, "content", "text")
    role, speaker, name = pick(element, "role"), pick(element, "speaker"), pick(element, "name")
    literal = next((one for one in STRING.finditer(text, start, end) if words and json.loads(one[0]) == words), None)
    called = name or speaker or role
    if literal is None or not called:
        return None
    known = ROLES.get((role or called).casefold())
    return WrittenTurn(
        known[1] if known and called.casefold() in ROLES else called,
        known[0] if known else "user",
        literal.start() + 1,
        literal.end() - 1,
        words,
        start,
        end,
        read_moment(pick(element, "timestamp", "created_at", "time")),
        is_marked=bool(known or speaker),
    )


def pick(element: Mapping[str, Any], *names: str) -> str:
    """The first of the fields that is a text with anything in it."""
    return next((value for name in names if isinstance(value := element.get(name), str) and value.strip()), "")


def read_moment(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None
