import re

from banks.dates.chart import Rule, glue, word
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import Holiday
from banks.dates.feasts import NAMES

_NAME = "|".join(re.escape(name).replace(r"\ ", r"[ -]") for name in sorted(NAMES, key=len, reverse=True))


def _holiday(match: re.Match[str]) -> Value:
    return Holiday(rule=NAMES[match[1].replace("-", " ")])


RULES = (
    Rule(
        (word(rf"(?:the )?({_NAME})(?! tree| card| carol| present| gift| song| movie| cookie| decoration| dinner)"),),
        _holiday,
    ),
    Rule((Holiday, glue("day|sunday|monday")), lambda h, _: h),
    Rule((word("(?:the )?new year"),), lambda _: Holiday(rule="new year"), is_latent=True),
)
