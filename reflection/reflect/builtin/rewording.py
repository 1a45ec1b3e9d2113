"""The same question in the words of what began: memory holds "she moved to Graz", and nobody says "she lives there".

A reranker reads the two as having little to do with each other.
"""

import re

WHO = r"(?P<who>(?:(?!not\b)[\w'\u2019-]+ ){0,3}[\w'\u2019-]+)"
NOW = r"(?: now| currently| at the moment| these days)?"
# "something" is a blank: what it stands for is asked for.
DONE, ANY_VERB = r"(?P<done>did|have|has|had)", r"(?P<verb>\w+)"
LATELY, REST = r"(?: new| else)?(?: recently| lately)?", r"(?P<rest>(?: [^?!.]+?)??)(?: recently| lately)?"
# The question, and how it is asked otherwise.
OTHERWISE = [
    (re.compile(pattern, re.IGNORECASE), other)
    for pattern, other in (
        (rf"^\W*where (?:do|does|did) {WHO} live{NOW}\W*$", "Where did {who} move to?"),
        (rf"^\W*where will {WHO} live\W*$", "Where will {who} move to?"),
        (rf"^\W*what(?: is|['\u2019]s) the name of {WHO}\W*$", "What is {who} called?"),
        (rf"^\W*what(?: is|['\u2019]s) {WHO}['\u2019]s? name\W*$", "What is {who} called?"),
        (rf"^\W*what are the names of {WHO}\W*$", "What are {who} called?"),
        (rf"^\W*{DONE} {WHO} {ANY_VERB} (?:something|anything){LATELY}{REST}\W*$", "What {done} {who} {verb}{rest}?"),
        (rf"^\W*{DONE} {WHO} {ANY_VERB} (?:some|any)(?:one|body){LATELY}{REST}\W*$", "Who {done} {who} {verb}{rest}?"),
    )
]


def ask_otherwise(question: str) -> str:
    """Empty where it has no other words that are known."""
    for pattern, other in OTHERWISE:
        if found := pattern.match(question):
            return other.format(
                **{name: part.lower() if name == "done" else part for name, part in found.groupdict().items()}
            )
    return ""
