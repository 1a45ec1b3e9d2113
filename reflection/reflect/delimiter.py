"""The delimiter between a model's answer and its notes, found while the text arrives.

    =====NOTES 3f9a0c1b2d4e=====

Its code is random for each answer: no memory can contain it, so no memory can end an answer and write notes itself.
The notes begin behind the code, however the model wrote the line around it.
"""

import re
from secrets import token_hex

import regex

CODE_BYTES = 6
CODE = re.compile(rf"[0-9a-f]{{{2 * CODE_BYTES}}}")
# A line of signs around the word, which a model could copy from a memory and take for the delimiter.
SIGNS = r"[=\-*#_~]"
LOOK_ALIKE = re.compile(  # possessive: a memory may be a row of a million signs
    rf"(?<!{SIGNS}){SIGNS}{{2,}}+[ \t]*+notes[ \t]*+[0-9a-f]{{0,32}}+[ \t]*+{SIGNS}{{2,}}+", re.IGNORECASE
)
# Models put lists, quotations, emphasis and rules around the line. A closing bracket is none: it ends a citation.
BLANK = r" \t\r\u00a0\u3000"
SIGN = r"=\-*#_~+|>:`'\"\u2018\u201c\u201e\u00ab\u2010\u2011\u2012\u2013\u2014\u2015\u2022\u2500\u2550\uff1d(\[{<\\"
# A whole line of signs, or a run of signs without blanks; then the word, or a translation of it behind two signs.
FRONT = (
    rf"(?:(?<![^\n])[{SIGN}{BLANK}]{{0,80}}|[{BLANK}]{{0,80}}[{SIGN}]{{0,80}})"
    rf"(?:(?<!\p{{L}})notes[{SIGN}{BLANK}]{{0,20}}|(?<=[{SIGN}]{{2}}[{BLANK}]*)\p{{L}}{{1,20}}[{BLANK}]{{0,20}})?"
)


def draw_delimiter() -> str:
    return f"=====NOTES {token_hex(CODE_BYTES)}====="


def disarm(text: str) -> str:
    """A quoted text in which no line looks like the delimiter."""
    return LOOK_ALIKE.sub("notes", text)


class AnswerSplitter:
    """Splits a stream of text pieces into the answer, for the reader, and the notes, for us."""

    def __init__(self, delimiter: str) -> None:
        self.notes: str | None = None  # the text after the code; None: the code has not arrived
        self._pattern = regex.compile(FRONT + CODE.findall(delimiter)[0], regex.IGNORECASE)
        self._last = "\n"  # the last character that was shown
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that may be shown now. An end that could still become the delimiter is held back."""
        if self.notes is not None:
            self.notes += piece
            return ""
        text = self._last + self._held + piece
        found = self._pattern.search(text, 1, partial=True)  # at the end of the text at the latest
        cut = found.start() if found else len(text)
        if found and not found.partial:
            self.notes, self._held = text[found.end() :], ""
        else:
            self._held, self._last = text[cut:], text[cut - 1]
        return text[1:cut]

    def end(self) -> str:
        """The text that was held back and is no delimiter."""
        held, self._held = self._held, ""
        return held
