import django.db.models.deletion
import tenants.identifiers
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0012_banks_that_learn_who_they_are'),
        ('tenants', '0003_usage'),
    ]

    operations = [
        migrations.CreateModel(
            name='AnswerPurge',
            fields=[
                ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                ('times', models.PositiveIntegerField(default=0)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant',), name='answer_purge_once')],
            },
        ),
        IsolateTenantTable('AnswerPurge'),
    ]
