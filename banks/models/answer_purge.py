from typing import ClassVar

from django.db import models

from tenants.scoping import TenantManager, TenantOwned


class AnswerPurge(TenantOwned):
    """How often the answers of models were forgotten because something was deleted: one row for a tenant.

    An answer that is still being made then is told apart by it from those of later.
    """

    times = models.PositiveIntegerField(default=0)

    objects: ClassVar[TenantManager["AnswerPurge"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant"], name="answer_purge_once"),)

    def __str__(self) -> str:
        return str(self.times)
