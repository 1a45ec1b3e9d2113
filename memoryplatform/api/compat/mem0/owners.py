"""Owners: mem0's four ids, the tags that they become, and the bank that they choose.

A bank is one agent's memory: the same fact twice is one memory, and a newer fact closes the one that it contradicts. So
two users must not share a bank. A memory lies in the bank of the first of its ids, in the order of `KINDS`. All its ids
are tags, so the other owners find it too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from memoryplatform.api.serializers import prefix_faults

BANKS = "mem0:"  # prefix of the ids of mem0's banks
KINDS = {"user_id": "user", "agent_id": "agent", "app_id": "app", "run_id": "run"}
WILDCARD = "*"
LONGEST_NAME = 150
LONGEST_BANK_ID = 200
# An id is part of a path, and HTTP clients remove these two segments. New memories can't have them; existing
# owners with such a name are addressed in the escaped form.
SENDABLE = {".": "%2E", "..": "%2E%2E"}
SENT_NAMES = {sent: name for name, sent in SENDABLE.items()}
NAME = serializers.CharField(max_length=LONGEST_NAME, trim_whitespace=False)


@dataclass(frozen=True)
class Owner:
    kind: str
    name: str

    @property
    def tag(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def name_in_paths(self) -> str:
        return SENDABLE.get(self.name, self.name)

    @property
    def bank_id(self) -> str:
        """A bank id is one path segment, so slashes are escaped."""
        return f"{BANKS}{self.kind}:{self.name.replace('%', '%25').replace('/', '%2F')}"


@dataclass(frozen=True)
class Owners:
    """All owners of a memory. The first owns the bank that it lies in."""

    every: tuple[Owner, ...]

    @property
    def bank_id(self) -> str:
        return self.every[0].bank_id

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(owner.tag for owner in self.every)

    def name_of(self, kind: str) -> str:
        return next((owner.name for owner in self.every if owner.kind == kind), "")


def read_owners(given: Mapping[str, Any]) -> Owners:
    """Reads the owners of a new memory: no wildcards."""
    found = {name: given[name] for name in KINDS if given.get(name) is not None}
    if not found:
        raise serializers.ValidationError(f"At least one of {', '.join(KINDS)} is required!")
    return Owners(tuple(read_single(name, value) for name, value in found.items()))


def read_single(id_name: str, given: Any) -> Owner:
    with prefix_faults(id_name):
        owner = read_owner(id_name, given)
        if owner.name == WILDCARD:
            raise serializers.ValidationError("* means all and can't be an id.")
        if owner.name in SENDABLE or owner.name in SENT_NAMES:
            raise serializers.ValidationError("Dots alone are no id: HTTP clients remove them from an address.")
    return owner


def read_owner(id_name: str, given: Any) -> Owner:
    name = NAME.run_validation(given)
    owner = Owner(KINDS[id_name], name)
    if not name.strip() or not name.isprintable():
        raise serializers.ValidationError("Must have letters and no control characters.")
    if len(owner.bank_id) > LONGEST_BANK_ID:
        raise serializers.ValidationError("Too long: slashes and percent signs count three times.")
    return owner


def read_bank_id(bank_id: str) -> Owner:
    """The owner of a bank; the reverse of `Owner.bank_id`."""
    kind, _, name = bank_id.removeprefix(BANKS).partition(":")
    return Owner(kind, name.replace("%2F", "/").replace("%25", "%"))


def describe_owners(tags: Iterable[str]) -> dict[str, str | None]:
    """A memory of several runs has several run tags; the first is shown."""
    ids: dict[str, str | None] = dict.fromkeys(KINDS)
    for tag in tags:
        kind, _, name = tag.partition(":")
        if f"{kind}_id" in ids and name:
            ids[f"{kind}_id"] = ids[f"{kind}_id"] or name
    return ids
