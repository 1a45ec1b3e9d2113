"""The line that divides what a model answers from what it notes for us, found while the text still arrives.

It has a code that is drawn for each answer: no memory can hold it, so none can end an answer and write notes itself.
"""

import re
from secrets import token_hex

CODE_BYTES = 6
DECORATION = " \t\r*#`"  # what models like to put around a line
# Any line of signs around the word: a model that copies one from a memory must not take it for ours.
SIGNS = r"[=\-*#_~]"
LOOK_ALIKE = re.compile(  # nothing in it is tried twice: a memory may be a row of a million signs
    rf"(?<!{SIGNS}){SIGNS}{{2,}}+[ \t]*+notes[ \t]*+[0-9a-f]{{0,32}}+[ \t]*+{SIGNS}{{2,}}+", re.IGNORECASE
)


def draw_delimiter() -> str:
    return f"=====NOTES {token_hex(CODE_BYTES)}====="


def disarm(text: str) -> str:
    """A text of others without what looks like such a line."""
    return LOOK_ALIKE.sub("notes", text)


class Splitter:
    """Everything before the line is for the reader, everything after it is not, however the text is cut into pieces."""

    def __init__(self, delimiter: str) -> None:
        self.notes: str | None = None  # None: the line has not come
        self._delimiter = delimiter
        self._held = ""
        self._begins_line = True

    def feed(self, piece: str) -> str:
        """What may be shown now. The beginning of a line is held back while it could still become the delimiter."""
        if self.notes is not None:
            self.notes += piece
            return ""
        *lines, last = (self._held + piece).split("\n")
        self._held = ""
        shown: list[str] = []
        for number, line in enumerate(lines):
            if self._divides(line):
                self._begin_notes("\n".join([line, *lines[number + 1 :], last]))
                return "".join(shown)
            shown.append(f"{line}\n")
            self._begins_line = True
        return "".join(shown) + self._feed_open_line(last)

    def end(self) -> str:
        """What was held back and turned out to be text."""
        held, self._held = self._held, ""
        return held

    def _feed_open_line(self, line: str) -> str:
        if self._divides(line):
            self._begin_notes(line)
            return ""
        if self._begins_line and self._delimiter.startswith(line.lstrip(DECORATION)):
            self._held = line
            return ""
        self._begins_line = False
        return line

    def _divides(self, line: str) -> bool:
        return self._begins_line and line.lstrip(DECORATION).startswith(self._delimiter)

    def _begin_notes(self, text: str) -> None:
        self.notes = text.partition(self._delimiter)[2]
