"""The words that a memory is described with, in the database as everywhere else."""

from typing import Literal

from django.db.models import TextChoices


class Network(TextChoices):
    """Evidence (world, experience), belief (opinion) and summary (observation) never mix: a unit is in one of them."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"


FACTUAL = frozenset({Network.WORLD, Network.EXPERIENCE})  # what was told, not what was made of it


class Kind(TextChoices):
    EVENT = "event"  # happened at a time that can be told
    CONVERSATION = "conversation"  # was said, or holds without a date


class EntityKind(TextChoices):
    PERSON = "PERSON"
    ORGANIZATION = "ORGANIZATION"
    LOCATION = "LOCATION"
    PRODUCT = "PRODUCT"
    CONCEPT = "CONCEPT"
    OTHER = "OTHER"


class Mode(TextChoices):
    """How a bank extracts: comprehensive facts, only what was not foreseen, or each exchange as it was said."""

    NARRATIVE = "narrative"
    CALIBRATED = "calibrated"
    VERBATIM = "verbatim"


Novelty = Literal["new", "update", "contradiction"]  # of a fact, against what was known
