from banks.dates.chart import Rule
from banks.dates.english import (
    amounts,
    calendar_dates,
    clocks,
    dated_clocks,
    day_words,
    decades,
    edges,
    holidays,
    months,
    numeric,
    open_ranges,
    ordinals,
    periods,
    ranges,
    seasons,
    weekdays,
    years,
)

RULES: tuple[Rule, ...] = (
    *amounts.RULES,
    *calendar_dates.RULES,
    *clocks.RULES,
    *dated_clocks.RULES,
    *day_words.RULES,
    *decades.RULES,
    *edges.RULES,
    *holidays.RULES,
    *months.RULES,
    *numeric.RULES,
    *open_ranges.RULES,
    *ordinals.RULES,
    *periods.RULES,
    *ranges.RULES,
    *seasons.RULES,
    *weekdays.RULES,
    *years.RULES,
)
# Most questions hold no digit, and a sixth of the rules can find nothing in them.
RULES_WITHOUT_DIGITS = tuple(rule for rule in RULES if rule not in numeric.RULES)
