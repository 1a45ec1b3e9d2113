from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Built beside the work of others: no reader or writer waits."""

    atomic = False

    dependencies = [("banks", "0026_every_memory_counts")]

    operations = [
        AddIndexConcurrently(
            model_name="memoryunit",
            index=models.Index(
                fields=["bank", "-mentioned_at", "recorded_at"],
                include=["tenant", "network", "expired_at", "valid_from", "valid_until", "occurred_start", "close_reason"],
                name="unit_by_mention_and_record",
            ),
        ),
        RemoveIndexConcurrently(model_name="memoryunit", name="unit_by_mention"),
    ]
