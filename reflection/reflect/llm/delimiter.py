"""The line that divides what a model answers from what it notes for us, found while the text still arrives.

It has a code that is drawn for each answer: no memory can hold it, so none can end an answer and write notes itself.
Nor does it come up by chance: where the code stands the notes begin, however the model wrote the line around it.
"""

import re
from secrets import token_hex

CODE_BYTES = 6
CODE = re.compile(rf"[0-9a-f]{{{2 * CODE_BYTES}}}")
# Any line of signs around the word: a model that copies one from a memory must not take it for ours.
SIGNS = r"[=\-*#_~]"
LOOK_ALIKE = re.compile(  # nothing in it is tried twice: a memory may be a row of a million signs
    rf"(?<!{SIGNS}){SIGNS}{{2,}}+[ \t]*+notes[ \t]*+[0-9a-f]{{0,32}}+[ \t]*+{SIGNS}{{2,}}+", re.IGNORECASE
)
BLANKS = " \t\r\u00a0\u3000"
# What models put around the line: a list, a quotation, emphasis, rules. No bracket that closes: it ends a citation.
AROUND = (
    f"{BLANKS}=-*#_~+|>:`'\"\u2018\u201c\u201e\u00ab\u2010\u2011\u2012\u2013\u2014\u2015\u2022\u2500\u2550\uff1d([{{<\\"
)
LONGEST_LEAD, LONGEST_GAP = 80, 20  # characters before the word, and between it and the code
LAST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,20}\Z")
LONGEST_HELD = 2 * LONGEST_LEAD  # a lead, the word and what stands between it and the code
WORD = "notes"


def draw_delimiter() -> str:
    return f"=====NOTES {token_hex(CODE_BYTES)}====="


def disarm(text: str) -> str:
    """A text of others without what looks like such a line."""
    return LOOK_ALIKE.sub("notes", text)


class Splitter:
    """Everything before the line is for the reader, everything after it is not, however the text is cut into pieces."""

    def __init__(self, delimiter: str) -> None:
        self.notes: str | None = None  # what stands after the code; None: it has not come
        self._code = CODE.findall(delimiter)[0]
        self._held = ""
        self._shown = "\n"  # the end of it

    def feed(self, piece: str) -> str:
        """What may be shown now. An end that could still become the delimiter is held back."""
        if self.notes is not None:
            self.notes += piece
            return ""
        shown = len(self._shown)
        text = self._shown + self._held + piece
        if found := re.search(self._code, text, re.IGNORECASE):
            self.notes, self._held = text[found.end() :], ""
            return text[shown : max(shown, find_front(text[: found.start()]))]
        cut = max(shown, self._find_unfinished(text))
        self._held, self._shown = text[cut:], text[:cut][-LONGEST_HELD:]
        return text[shown:cut]

    def end(self) -> str:
        """What was held back and turned out to be text."""
        held, self._held = self._held, ""
        return held

    def _find_unfinished(self, text: str) -> int:
        """Where that begins which may become the line: the code may have come in part, or the word before it."""
        begun = len(text) - min(len(text), LONGEST_HELD)
        tail = text[begun:]
        ends = [len(tail) - length for length in range(len(self._code)) if has_end(tail, self._code[:length])]
        fronts = [find_front(tail[:end]) for end in ends]
        word = LAST_WORD.search(tail)
        if word and WORD.startswith(word[0].lower()):
            fronts.append(find_lead(tail[: word.start()]))
        return begun + min(fronts)


def has_end(text: str, end: str) -> bool:
    return text[len(text) - len(end) :].lower() == end


def find_front(text: str) -> int:
    """Where the line begins whose code comes next. Its word may be a translation where signs stand before it."""
    bare = text[:-LONGEST_GAP] + text[-LONGEST_GAP:].rstrip(AROUND)
    word = LAST_WORD.search(bare)
    if word:
        lead = find_lead(bare[: word.start()])
        is_marked = len(bare[lead : word.start()].strip(BLANKS)) > 1 and not text[word.end() :].strip(BLANKS)
        if is_marked or word[0].lower() == WORD:
            return lead
    return find_lead(text)


def find_lead(text: str) -> int:
    """Where the signs begin that end the text: all of a line that has no others, else those that hang together."""
    tail = text[-LONGEST_LEAD:]
    bare = len(text) - len(tail) + len(tail.rstrip(AROUND))
    if text[:bare].endswith("\n"):
        return bare
    run = text[bare:].rstrip(BLANKS)
    while run and run[-1] not in BLANKS:
        run = run[:-1]
    return bare + len(run.rstrip(BLANKS))
