"""A clause that tells several things of its owner in one, as one clause for each: they may change one by one."""

import re

NUMBERS = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|no"
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
DATE = rf"(?:in|on) (?:the (?:year )?)?(?:\d|(?:{MONTHS})\b).*"
DAY = rf"(?:{MONTHS})(?: \d{{1,2}}(?:st|nd|rd|th)?)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{MONTHS})"
BEGAN = "founded|established|created"
LONGEST = 400  # characters: what is longer is no plain statement, and stays as it is
SHORT = (("\u2019", "'"), ("I'm ", "I am "), ("I've ", "I have "))
# Each pattern with the clauses that say the same.
JOINED_PARTS = (
    (r"^i was born and raised (?P<where>.+)$", ("I was born {where}", "I was raised {where}")),
    (rf"^i was born (?P<place>in (?!\d).+?),? (?P<date>{DATE})$", ("I was born {place}", "I was born {date}")),
    (
        rf"^i was born (?P<date>(?:in|on) (?:the )?(?:(?:{DAY}),? ?)?(?:\d{{4}})?),? (?P<place>in (?!\d).+)$",
        ("I was born {date}", "I was born {place}"),
    ),
    (
        rf"^i was born (?P<when>(?:on|in) (?:the )?(?:{DAY})),? (?P<year>\d{{4}})$",
        ("I was born {when}", "I was born in {year}"),
    ),
    (
        rf"^i was (?P<verb>{BEGAN}) (?P<year>in \d{{4}}),? (?P<more>(?:by|in) (?!\d).+)$",
        ("I was {verb} {year}", "I was {verb} {more}"),
    ),
    (
        rf"^i was (?P<verb>{BEGAN}) (?P<more>(?:by|in) (?!\d).+?),? (?P<year>in \d{{4}})$",
        ("I was {verb} {more}", "I was {verb} {year}"),
    ),
    (r"^i (?P<now>now |currently )?work (?P<role>as .+?) (?P<place>(?:at|for) (?:the )?(?-i:[^\Wa-z\d_]).*)$", None),
    (r"^i (?P<now>now |currently )?work (?P<place>(?:at|for) .+?) (?P<role>as (?:an?|the) .+)$", None),
    (
        r"^i (?P<verb>live|reside|work) (?P<place>(?:in|at|for) .+?) (?P<company>with .+)$",
        ("I {verb} {place}", "I {verb} {company}"),
    ),
    (
        rf"^i am (?P<state>married(?: to .+?)?) with (?P<own>(?:an?|{NUMBERS}) .+)$",
        ("I am {state}", "I have {own}"),
    ),
    (
        rf"^i (?:now )?have (?P<some>(?:an?|{NUMBERS}) \w+),? (?:and )?(?P<others>(?:an?|{NUMBERS}) .+)$",
        ("I have {some}", "I have {others}"),
    ),
)
ROLE_AND_PLACE = ("I work {role}", "I work {place}")
READ = [(re.compile(pattern, re.IGNORECASE), parts or ROLE_AND_PLACE) for pattern, parts in JOINED_PARTS]


def split_parts(clause: str) -> list[str]:
    """Down to those that tell one thing."""
    parts = split_once(clause)
    return parts if len(parts) == 1 else [one for part in parts for one in split_parts(part)]


def split_once(clause: str) -> list[str]:
    plain = clause.strip(" .!,")
    for short, full in SHORT:
        plain = plain.replace(short, full)
    for pattern, parts in READ if len(plain) <= LONGEST else ():
        if found := pattern.match(plain):
            return [part.format(**found.groupdict()) for part in parts]
    return [plain]
