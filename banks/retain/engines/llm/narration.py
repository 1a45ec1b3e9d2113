"""One readable text from the five dimensions.

No word of ours is put in, because the text keeps the language of its source: the date and the place follow in
brackets, who and why as sentences of their own.
"""

import re

from banks.retain.chunking.sentences import ends_sentence, split_sentences
from banks.retain.types import Dimensions

WORD = re.compile(r"\w+")


def build_text(dimensions: Dimensions) -> str:
    text = dimensions.what
    aside = [part for part in (dimensions.when, dimensions.where) if part and not is_told(part, text)]
    if aside:
        text = add_aside(text, "; ".join(part.rstrip(" .") for part in aside))
    for part in (dimensions.who, dimensions.why):
        for sentence in (span.read(part).strip() for span in split_sentences(part)):
            if not is_told(sentence, text):
                text = f"{close(text)} {sentence}".strip()
    return close(text)


def is_told(part: str, text: str) -> bool:
    """Whether every word of the part is in the text: no list of unimportant words, "not" may be one of them."""
    return set(WORD.findall(part.casefold())) <= set(WORD.findall(text.casefold()))


def add_aside(text: str, aside: str) -> str:
    """In brackets at the end of the first text, inside its full stop."""
    if not text:
        return aside
    if text.endswith("."):
        return f"{text.rstrip('.')} ({aside})."
    return f"{text} ({aside})"


def close(text: str) -> str:
    return text if not text or ends_sentence(text) else f"{text}."
