import django.contrib.postgres.fields
import django.db.models.deletion
import protection.modes
import tenants.identifiers
import tenants.sealed_text
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0023_legal_hold'),
        ('tenants', '0009_deletion_of_tenants'),
    ]

    operations = [
        migrations.CreateModel(
            name='QuarantinedItem',
            fields=[
                ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                ('item', tenants.sealed_text.SealedTextField(help_text='The item as JSON, sealed at rest.')),
                ('findings', models.JSONField(help_text='Field, family, kind, start and end of each finding; no text.')),
                ('api_key_prefix', models.CharField(blank=True, help_text='Of the key that sent it.', max_length=16)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.AddField(
            model_name='bank',
            name='protection',
            field=models.JSONField(db_default={'instructions': 'off', 'personal_data': 'off', 'personal_kinds': ['card', 'iban', 'email', 'phone'], 'phone_region': '', 'secrets': 'off'}, default=protection.modes.write_off, help_text='The mode of each family of findings in texts that come in, and the kinds of personal data.'),
        ),
        migrations.AddField(
            model_name='chunk',
            name='flags',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), blank=True, db_default=[], default=list, help_text='Families of findings in its text: secrets, personal_data, instructions.', size=None),
        ),
        migrations.AddField(
            model_name='memoryunit',
            name='flags',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), blank=True, db_default=[], default=list, help_text='Families of findings in its text or its source: secrets, personal_data, instructions.', size=None),
        ),
        migrations.AddConstraint(
            model_name='bank',
            constraint=models.CheckConstraint(condition=models.Q(('protection__instructions__in', ['off', 'flag', 'redact', 'quarantine', 'refuse']), ('protection__personal_data__in', ['off', 'flag', 'redact', 'quarantine', 'refuse']), ('protection__secrets__in', ['off', 'flag', 'redact', 'quarantine', 'refuse'])), name='bank_protection_known'),
        ),
        migrations.AddField(
            model_name='quarantineditem',
            name='bank',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank'),
        ),
        migrations.AddField(
            model_name='quarantineditem',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddIndex(
            model_name='quarantineditem',
            index=models.Index(fields=['bank', '-id'], name='quarantine_newest'),
        ),
        IsolateTenantTable('QuarantinedItem'),
    ]
