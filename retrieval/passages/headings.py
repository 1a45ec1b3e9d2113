"""The line that says what a list, a table or a whole text is about."""

import re

from banks.retain.chunking.spans import ChunkSpan

NEAR = 200  # characters: a heading is no longer than that, and begins no later
ROW = re.compile(r"\s*(?:[-*\u2022\u2013|]|\d+[.)])\s")
UNDERLINE = re.compile(r"[ \t]*[|+]?[-=:|+ ]{3,}\s")
BLANK_LINE = re.compile(r"[ \t\r]*\n")
INTRODUCTION = re.compile(rf"[^\n.!?:]{{1,{NEAR}}}:(?=\s+\S)")
SENTENCE_END = (".", "!", "?")
NO_HEADING = ChunkSpan(0, 0)


def find_heading(text: str) -> ChunkSpan:
    """Empty where there is none: a first line that is a row or a sentence like the others tells of itself only."""
    start = 0
    while start < NEAR and (end := text.find("\n", start)) >= 0:
        if is_heading(text[start:end].strip(), text[end + 1 : end + 1 + NEAR]):
            return ChunkSpan(start, end)
        start = end + 1
    introduction = INTRODUCTION.match(text)
    is_line_of_its_own = text.find("\n", 0, 2 * NEAR) >= 0
    return NO_HEADING if is_line_of_its_own or not introduction else ChunkSpan(0, introduction.end())


def is_heading(line: str, following: str) -> bool:
    if not line or len(line) > NEAR:
        return False
    if line.endswith(":") or line.startswith("#") or UNDERLINE.match(following):
        return True
    is_sentence = line.endswith(SENTENCE_END) or ROW.match(line)
    return not is_sentence and bool(BLANK_LINE.match(following) or ROW.match(following))
