"""Feasts and holidays by name, and their date in a year."""

from datetime import date, timedelta

from dateutil.easter import easter

_FIXED = {
    "new year": (1, 1), "valentine": (2, 14), "patrick": (3, 17), "april fools": (4, 1), "earth": (4, 22),
    "labour": (5, 1), "juneteenth": (6, 19), "independence": (7, 4), "bastille": (7, 14), "halloween": (10, 31),
    "all saints": (11, 1), "guy fawkes": (11, 5), "veterans": (11, 11), "christmas eve": (12, 24),
    "christmas": (12, 25), "boxing": (12, 26), "new year's eve": (12, 31), "st nicholas": (12, 6),
    "womens": (3, 8), "epiphany": (1, 6), "pi": (3, 14), "groundhog": (2, 2), "cinco de mayo": (5, 5),
    "assumption": (8, 15),
}  # fmt: skip
_AFTER_EASTER = {
    "easter": 0, "good friday": -2, "easter monday": 1, "palm sunday": -7, "ash wednesday": -46, "mardi gras": -47,
    "maundy thursday": -3, "ascension": 39, "pentecost": 49, "whit monday": 50,
}  # fmt: skip
_NTH_WEEKDAY = {  # month, weekday, n (from the end if negative), days after it
    "mlk": (1, 0, 3, 0), "presidents": (2, 0, 3, 0), "mothers": (5, 6, 2, 0), "memorial": (5, 0, -1, 0),
    "fathers": (6, 6, 3, 0), "labor": (9, 0, 1, 0), "columbus": (10, 0, 2, 0), "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1), "cyber monday": (11, 3, 4, 4),
}  # fmt: skip
_FIRST_EASTER, _LAST_YEAR = 1583, 9999  # the western rule of Easter starts with the Gregorian calendar

NAMES = {
    "new year's day": "new year", "new years day": "new year", "new year day": "new year", "new year's": "new year",
    "new year's eve": "new year's eve", "new years eve": "new year's eve", "valentine's day": "valentine",
    "valentines day": "valentine", "valentine's": "valentine", "st patrick's day": "patrick",
    "st. patrick's day": "patrick", "saint patrick's day": "patrick", "saint patrick": "patrick",
    "april fool's day": "april fools", "april fools day": "april fools", "april fools": "april fools",
    "earth day": "earth", "may day": "labour", "international workers' day": "labour", "workers' day": "labour",
    "juneteenth": "juneteenth", "independence day": "independence", "bastille day": "bastille",
    "halloween": "halloween", "all saints' day": "all saints", "bonfire night": "guy fawkes",
    "veterans day": "veterans", "remembrance day": "veterans", "armistice day": "veterans",
    "christmas eve": "christmas eve", "christmas day": "christmas", "christmas": "christmas", "xmas": "christmas",
    "boxing day": "boxing", "easter": "easter", "easter sunday": "easter", "good friday": "good friday",
    "easter monday": "easter monday", "palm sunday": "palm sunday", "ash wednesday": "ash wednesday",
    "mardi gras": "mardi gras", "ascension day": "ascension", "pentecost": "pentecost", "whit monday": "whit monday",
    "martin luther king day": "mlk", "mlk day": "mlk", "presidents day": "presidents", "presidents' day": "presidents",
    "mother's day": "mothers", "mothers day": "mothers", "memorial day": "memorial", "father's day": "fathers",
    "fathers day": "fathers", "labor day": "labor", "columbus day": "columbus", "thanksgiving": "thanksgiving",
    "thanksgiving day": "thanksgiving", "black friday": "black friday", "cyber monday": "cyber monday",
    "epiphany": "epiphany", "groundhog day": "groundhog", "cinco de mayo": "cinco de mayo",
    "international women's day": "womens", "st nicholas day": "st nicholas",
}  # fmt: skip


def date_of(rule: str, year: int) -> date | None:
    """None in years that the rule does not reach."""
    if not 1 <= year <= _LAST_YEAR:
        return None
    if rule in _FIXED:
        return date(year, *_FIXED[rule])
    if rule in _AFTER_EASTER:
        return easter(year) + timedelta(days=_AFTER_EASTER[rule]) if year >= _FIRST_EASTER else None
    month, weekday, n, later = _NTH_WEEKDAY[rule]
    return _nth_weekday(year, month, weekday, n) + timedelta(days=later)


def _nth_weekday(year: int, month: int, weekday: int, n: int) -> date:
    first = date(year, month, 1)
    day = first + timedelta(days=(weekday - first.weekday()) % 7)
    if n > 0:
        return day + timedelta(weeks=n - 1)
    while (day + timedelta(weeks=1)).month == month:
        day += timedelta(weeks=1)
    return day
