from typing import ClassVar

from django.db import models

from banks.models import Bank
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class ChannelWeightsQuerySet(OfBankQuerySet["ChannelWeights"]):
    pass


ChannelWeightsManager = models.Manager.from_queryset(ChannelWeightsQuerySet)


class ChannelWeights(TenantOwned):
    """What feedback taught a bank about the channels. Every mark moves it; recall looks at it only where that is on."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    learn_from_feedback = models.BooleanField(default=False, help_text="Whether recall uses the weights.")
    weights = models.JSONField(default=dict, help_text="By channel; 1 where it is not named.")
    marks = models.PositiveIntegerField(default=0, help_text="How many marks moved them.")
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[ChannelWeightsManager["ChannelWeights"]] = ChannelWeightsManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank"], name="channel_weights_once"),)

    def __str__(self) -> str:
        return str(self.weights)
