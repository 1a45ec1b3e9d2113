"""The enumerations of the domain, with their values in the database."""

from typing import Literal

from django.db.models import TextChoices


class Network(TextChoices):
    """The kind of a unit: evidence (world, experience), belief (opinion) or summary (observation). A unit has one."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"


FACTUAL = frozenset({Network.WORLD, Network.EXPERIENCE})  # the networks of facts


class Kind(TextChoices):
    EVENT = "event"  # happened at a known time
    CONVERSATION = "conversation"  # has no date


class EntityKind(TextChoices):
    PERSON = "PERSON"
    ORGANIZATION = "ORGANIZATION"
    LOCATION = "LOCATION"
    PRODUCT = "PRODUCT"
    CONCEPT = "CONCEPT"
    OTHER = "OTHER"


class Mode(TextChoices):
    """How a bank extracts: comprehensive facts, only facts that a forecast missed, or quotations."""

    NARRATIVE = "narrative"
    CALIBRATED = "calibrated"
    VERBATIM = "verbatim"


Novelty = Literal["new", "update", "contradiction"]  # of a fact beside the known facts
