from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('banks', '0004_bank_aliases'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='memoryunit',
            index=models.Index(fields=['bank', 'occurred_start', 'occurred_end'], name='unit_by_occurrence_and_end'),
        ),
        RemoveIndexConcurrently(
            model_name='memoryunit',
            name='unit_by_occurrence',
        ),
    ]
