"""The English rules. Every text is read with them, as other languages borrow digits and English words."""

from timewords.chart import Rule
from timewords.english import amounts, clocks, dates, parts, periods, ranges, weekdays

RULES: tuple[Rule, ...] = (
    *amounts.RULES,
    *clocks.RULES,
    *weekdays.RULES,
    *parts.RULES,
    *dates.RULES,
    *periods.RULES,
    *ranges.RULES,
)
# Most questions hold no digit, and a tenth of the rules finds nothing in them.
RULES_WITHOUT_DIGITS = tuple(rule for rule in RULES if rule not in dates.DIGIT_RULES)
