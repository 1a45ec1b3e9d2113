from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('operations', '0001_initial'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='dispatch',
            index=models.Index(fields=['queue', 'tenant_id', 'created_at'], name='dispatch_turns'),
        ),
    ]
