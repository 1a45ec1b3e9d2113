"""The same question in the words of what began: memory holds "she moved to Graz", and nobody says "she lives there".

A reranker reads the two as having little to do with each other.
"""

import re

WHO = r"(?P<who>(?:(?!not\b)[\w'\u2019-]+ ){0,3}[\w'\u2019-]+)"
NOW = r"(?: now| currently| at the moment| these days)?"
# The question, and how it is asked otherwise.
OTHERWISE = [
    (re.compile(pattern, re.IGNORECASE), other)
    for pattern, other in (
        (rf"^\W*where (?:do|does) {WHO} live{NOW}\W*$", "Where did {who} move to?"),
        (rf"^\W*what(?: is|['\u2019]s) the name of {WHO}\W*$", "What is {who} called?"),
        (rf"^\W*what(?: is|['\u2019]s) {WHO}['\u2019]s? name\W*$", "What is {who} called?"),
        (rf"^\W*what are the names of {WHO}\W*$", "What are {who} called?"),
    )
]


def ask_otherwise(question: str) -> str:
    """Empty where it has no other words that are known."""
    for pattern, other in OTHERWISE:
        if found := pattern.match(question):
            return other.format(who=found["who"])
    return ""
