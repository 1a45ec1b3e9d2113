"""Card numbers, IBANs, e-mail addresses and phone numbers. Check digits are checked, so an order number is no card."""

import re
from collections.abc import Callable, Collection, Iterator
from enum import StrEnum

from protection.findings import Family, Finding


class PersonalKind(StrEnum):
    CARD = "card"
    IBAN = "iban"
    EMAIL = "email"
    PHONE = "phone"


Span = tuple[int, int]
CARD = re.compile(r"(?<![\d.,+-])(?:[3-6]\d{3}|2[2-7]\d{2})(?:[ -]?\d){9,15}(?![\d])")
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b", re.IGNORECASE)
SHORTEST_IBAN = 15
EMAIL = re.compile(r"[\w.+%'-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}\b")
DIGITS = 6  # a text with fewer has no phone number


def find_personal_data(text: str, kinds: Collection[str], *, region: str = "") -> list[Finding]:
    """`region` is the country of phone numbers without a country code, such as DE; without it they are not found."""
    found = [
        Finding(start, end, Family.PERSONAL_DATA, kind.value)
        for kind in PersonalKind
        if kind in kinds
        for start, end in FINDERS[kind](text, region)
    ]
    taken = [one for one in found if one.kind != PersonalKind.PHONE]
    return [one for one in found if one in taken or not any(one.start < it.end and it.start < one.end for it in taken)]


def find_cards(text: str, _region: str) -> Iterator[Span]:
    if not any(match for match in CARD.finditer(text)):
        return
    from stdnum import luhn  # a bank without protection pays nothing

    for match in CARD.finditer(text):
        if luhn.is_valid(re.sub(r"\D", "", match.group())):
            yield match.span()


def find_ibans(text: str, _region: str) -> Iterator[Span]:
    """A word may follow the number: the longest valid beginning counts."""
    for match in IBAN.finditer(text):
        from stdnum import iban

        start, end = match.span()
        while end - start >= SHORTEST_IBAN:
            if text[end - 1] != " " and iban.is_valid(text[start:end], check_country=False):
                yield start, end
                break
            end -= 1


def find_emails(text: str, _region: str) -> Iterator[Span]:
    if "@" in text:
        yield from (match.span() for match in EMAIL.finditer(text))


def find_phones(text: str, region: str) -> Iterator[Span]:
    if sum(one.isdigit() for one in text) < DIGITS:
        return
    import phonenumbers

    for match in phonenumbers.PhoneNumberMatcher(text, region or None):
        yield match.start, match.end


FINDERS: dict[PersonalKind, Callable[[str, str], Iterator[Span]]] = {
    PersonalKind.CARD: find_cards,
    PersonalKind.IBAN: find_ibans,
    PersonalKind.EMAIL: find_emails,
    PersonalKind.PHONE: find_phones,
}
