from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models import Bank
from banks.models.of_bank import OfBankManager
from reflection.models.mental_models import MentalModel
from tenants.scoping import TenantOwned


class KnowledgeNode(TenantOwned):
    """A place in a bank's tree of knowledge pages: a folder, which has a name, or a page, which is a mental model."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    parent = models.ForeignKey(
        "self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", help_text="A folder."
    )
    name = models.CharField(max_length=200, blank=True, help_text="Of a folder; a page has that of its mental model.")
    mental_model = models.ForeignKey(
        MentalModel, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[OfBankManager["KnowledgeNode"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["mental_model"], name="knowledge_page_once"),
            models.CheckConstraint(
                condition=Q(mental_model=None) ^ Q(name=""), name="knowledge_node_is_folder_or_page"
            ),
        )
        indexes = (models.Index(fields=["bank", "id"], name="knowledge_nodes_of_bank"),)

    def __str__(self) -> str:
        return self.name or str(self.id)

    @property
    def is_folder(self) -> bool:
        return self.mental_model_id is None
