from reflection.models.bank_rules import BackgroundRevision, Directive, RetentionRule
from reflection.models.knowledge_nodes import KnowledgeNode
from reflection.models.mental_models import MentalModel, MentalModelRevision, MentalModelSource
from reflection.models.observed import ObservedEntity, ObservedScope
from reflection.models.opinions import Opinion, OpinionRevision, RevisionEvidence

__all__ = [
    "BackgroundRevision",
    "Directive",
    "KnowledgeNode",
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
