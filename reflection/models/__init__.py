from reflection.models.background_revision import BackgroundRevision
from reflection.models.observed_entity import ObservedEntity
from reflection.models.opinion import Opinion
from reflection.models.opinion_revision import OpinionRevision
from reflection.models.retention_rule import RetentionRule

__all__ = ["BackgroundRevision", "ObservedEntity", "Opinion", "OpinionRevision", "RetentionRule"]
