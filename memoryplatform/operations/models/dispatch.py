from django.db import models


class Dispatch(models.Model):
    """An unfinished operation, without a word of its content: when must somebody look at it (again)?

    A platform table outside the wall, so that one sweeper and the metrics serve all tenants. It is written in the
    transactions that change the operation: due soon after the submission, after the lease while a worker holds it,
    at the next attempt after a failure. It is gone once the operation is finished.
    """

    operation_id = models.UUIDField(primary_key=True)
    tenant_id = models.UUIDField()
    queue = models.CharField(max_length=30)
    due_at = models.DateTimeField()
    wakes = models.PositiveIntegerField(default=0, help_text="Messages sent since the last sign of life.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (models.Index(fields=["due_at"], name="dispatch_due"),)  # the sweeper

    def __str__(self) -> str:
        return f"{self.queue} {self.operation_id}"
