from reflection.models.background_revision import BackgroundRevision
from reflection.models.directive import Directive
from reflection.models.mental_model import MentalModel
from reflection.models.mental_model_revision import MentalModelRevision
from reflection.models.mental_model_source import MentalModelSource
from reflection.models.observed_entity import ObservedEntity
from reflection.models.observed_scope import ObservedScope
from reflection.models.opinion import Opinion
from reflection.models.opinion_revision import OpinionRevision
from reflection.models.retention_rule import RetentionRule
from reflection.models.revision_evidence import RevisionEvidence

__all__ = [
    "BackgroundRevision",
    "Directive",
    "MentalModel",
    "MentalModelRevision",
    "MentalModelSource",
    "ObservedEntity",
    "ObservedScope",
    "Opinion",
    "OpinionRevision",
    "RetentionRule",
    "RevisionEvidence",
]
