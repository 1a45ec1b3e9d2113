import django.db.models.deletion
import tenants.identifiers
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable
from tenants.table_creation import CreateTables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('retrieval', '0001_recall_log'),
        ('retrieval', '0002_purpose_of_recalls'),
        ('retrieval', '0003_delete_channel_weights'),
    ]

    dependencies = [
        ('banks', '0001_initial'),
        ('tenants', '0002_tenants'),
    ]

    operations = [
        CreateTables(
            migrations.CreateModel(
                name='Feedback',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('recall_id', models.UUIDField()),
                    ('useful', models.BooleanField()),
                    ('comment', models.CharField(blank=True, max_length=1000)),
                    ('marked_by', models.CharField(help_text='The caller; his later mark replaces this one.', max_length=200)),
                    ('rank', models.PositiveIntegerField(help_text='Of the result in its recall, from 1.')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('chunk', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.chunk')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('unit', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='feedback_of_bank')],
                    'constraints': [models.UniqueConstraint(fields=('bank', 'recall_id', 'unit', 'marked_by'), name='unit_marked_once'), models.UniqueConstraint(fields=('bank', 'recall_id', 'chunk', 'marked_by'), name='chunk_marked_once'), models.CheckConstraint(condition=models.Q(models.Q(('chunk__isnull', False), ('unit', None)), models.Q(('chunk', None), ('unit__isnull', False)), _connector='OR'), name='feedback_on_one_memory')],
                },
            ),
            migrations.CreateModel(
                name='RecallRecord',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('recall_id', models.UUIDField(help_text='Of the call; the same in every bank that it asked.')),
                    ('recalled_at', models.DateTimeField()),
                    ('query', models.TextField(help_text='As it was searched: on one line, shortened where it is very long.')),
                    ('query_type', models.CharField(max_length=20)),
                    ('results', models.JSONField(help_text='Id, kind, rank, tokens, final score, and the rank in each channel.')),
                    ('tokens', models.PositiveIntegerField()),
                    ('milliseconds', models.JSONField(help_text='By stage.')),
                    ('left_out', models.JSONField(default=list, help_text='Channels that failed or took too long, with the reason.')),
                    ('trace', models.JSONField(help_text='Of a sample, and where it was asked for.', null=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('purpose', models.CharField(choices=[('recall', 'Recall'), ('reflect', 'Reflect')], default='recall', max_length=10)),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='recalls_of_bank'), models.Index(fields=['tenant', 'recalled_at'], name='recalls_by_time')],
                    'constraints': [models.UniqueConstraint(fields=('bank', 'recall_id'), name='recall_once_a_bank')],
                },
            ),
        ),
        IsolateTenantTable('Feedback', cascade=['unit', 'chunk']),
        IsolateTenantTable('RecallRecord'),
    ]
