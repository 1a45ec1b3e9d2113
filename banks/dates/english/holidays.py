import re

from banks.dates.chart import Rule, glue, word
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import AroundHoliday, Holiday
from banks.dates.feasts import NAMES

_NAME = "|".join(re.escape(name).replace(r"\ ", r"[ -]") for name in sorted(NAMES, key=len, reverse=True))
_DAYS_AROUND = {"christmas": (1, 1), "easter": (2, 1), "thanksgiving": (0, 3)}  # before and behind
# The thing is not of the day: "which Easter egg".
_THING = (
    "tree|card|carol|present|gift|song|movie|cookie|decoration|dinner|egg|bunny|basket|hunt|market|light|ornament"
    "|cake|pudding|costume|candy|parade|jumper|sweater|wreath|stocking|list|recipe|turkey|roast"
)
_LONG = "|".join(name for name, rule in NAMES.items() if rule in _DAYS_AROUND and not name.endswith("day"))


def _holiday(match: re.Match[str]) -> Value:
    return Holiday(rule=NAMES[match[1].replace("-", " ")])


def _around(match: re.Match[str]) -> Value:
    rule = NAMES[match[1]]
    before, after = _DAYS_AROUND[rule]
    return AroundHoliday(rule=rule, before=before, after=after)


RULES = (
    Rule(
        (word(rf"(?:the )?({_NAME})(?! (?:{_THING})(?:s|es)?\b)"),),
        _holiday,
    ),
    Rule((word(rf"over (?:the )?({_LONG})(?! (?:day|eve|dinner|lunch|breakfast)\b)"),), _around),
    Rule((Holiday, glue("day|sunday|monday")), lambda h, _: h),
    Rule((word("(?:the )?new year"),), lambda _: Holiday(rule="new year"), is_latent=True),
)
