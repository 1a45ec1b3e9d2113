UNREADABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")
LONE_SURROGATE = "\ufffd"


def readable(text: str) -> str:
    """The same length, so that places in it are places in the original; no control characters, no lone surrogates."""
    clean = text.translate(UNREADABLE)
    if clean.isascii():
        return clean
    return "".join(LONE_SURROGATE if "\ud800" <= sign <= "\udfff" else sign for sign in clean)
