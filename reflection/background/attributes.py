"""What a statement about oneself is about, by its verb: enough to learn it and to keep it, not to displace another."""

import re
from collections.abc import Iterator

PATTERNS = (
    ("name", re.compile(r"\b(?:my (?:full |first )?name is|i am (?:called|named)|i go by)\b")),
    ("birth year", re.compile(r"\bi was born (?:on\b|in \d{4}\b)")),
    ("birthplace", re.compile(r"\bi was born (?:and raised )?in (?!\d)|\bi come from\b")),
    ("age", re.compile(r"\bi am \d+(?: years old)?$|\bi am \d+ years old\b|\bi (?:have )?(?:just )?turned \d+\b")),
    ("home", re.compile(r"\bi (?:now |currently )?(?:live|reside|am based) in\b")),
    ("home", re.compile(r"\bi (?:have )?(?:just |recently )?moved (?:from .+? )?to\b")),
    ("profession", re.compile(r"\bi (?:now |currently )?work as\b|\bmy (?:job|profession|occupation) is\b")),
    ("employer", re.compile(r"\bi (?:now |currently )?work (?:at|for)\b|\bi joined\b|\bmy employer is\b")),
    ("field", re.compile(r"\bi (?:now |currently )?work in\b")),
    ("marriage", re.compile(r"\bi am (?:married|divorced|single|engaged|widowed)\b|\bmy (?:wife|husband|spouse) is\b")),
    ("purpose", re.compile(r"\bmy (?:goal|purpose|mission) is\b")),
)
# Where the thing itself is a part of the key.
KEYED = (
    ("favourite", re.compile(r"\bmy favou?rite (?P<thing>[\w -]+?) (?:is|are)\b")),
    ("favourite", re.compile(r"\b(?:is|are) my favou?rite (?P<thing>[\w -]+)$")),
    (
        "experience",
        re.compile(
            r"\bi have (?:over |more than |about |some )?(?:\d+|\w+) years? of (?:experience in )?(?P<thing>[\w -]+?)"
            r"(?: experience)?$"
        ),
    ),
    ("number of", re.compile(r"\bi have (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|no) (?P<thing>\w+)$")),
)


def find_attributes(statement: str) -> frozenset[str]:
    """Of a clause in the first person. Empty where it can stand beside anything."""
    return frozenset(find_names(statement.casefold().replace("i'm ", "i am ").strip(" .!")))


def find_names(statement: str) -> Iterator[str]:
    for name, pattern in PATTERNS:
        if pattern.search(statement):
            yield name
    for name, pattern in KEYED:
        if found := pattern.search(statement):
            yield f"{name} {fold_thing(found['thing'])}"


def fold_thing(thing: str) -> str:
    """The same for "colour" and "colors"."""
    folded = thing.strip().casefold()
    return "child" if folded == "children" else folded.removesuffix("s").replace("our", "or")
