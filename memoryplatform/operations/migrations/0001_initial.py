import django.db.models.deletion
import tenants.identifiers
import tenants.sealed_text
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable
from tenants.table_creation import CreateTables


class Migration(migrations.Migration):

    initial = True

    # It also replaces the former operations.0001_initial, which had its name.
    replaces = [
        ('operations', '0002_kept_answers_sealed'),
        ('operations', '0003_key_of_an_operation'),
        ('operations', '0004_erasures'),
        ('operations', '0005_llm_requests'),
    ]

    dependencies = [
        ('banks', '0001_initial'),
        ('tenants', '0002_tenants'),
    ]

    operations = [
        CreateTables(
            migrations.CreateModel(
                name='Dispatch',
                fields=[
                    ('operation_id', models.UUIDField(primary_key=True, serialize=False)),
                    ('tenant_id', models.UUIDField()),
                    ('queue', models.CharField(max_length=30)),
                    ('due_at', models.DateTimeField()),
                    ('wakes', models.PositiveIntegerField(default=0, help_text='Messages sent since the last sign of life.')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['due_at'], name='dispatch_due')],
                },
            ),
            migrations.CreateModel(
                name='IdempotencyRecord',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('key', models.CharField(max_length=255)),
                    ('fingerprint', models.CharField(help_text='SHA-256 of API key, method, path and body.', max_length=64)),
                    ('claimed_at', models.DateTimeField(help_text='In flight since, while there is no answer.')),
                    ('status_code', models.PositiveSmallIntegerField(null=True)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('answer', tenants.sealed_text.SealedTextField(blank=True, help_text='As JSON. Empty until there is one, and once it was forgotten.')),
                    ('bank_key', models.CharField(blank=True, help_text="The bank whose memories the answer may quote; '/' if any may be.", max_length=200)),
                    ('forgotten', models.BooleanField(default=False, help_text='What it may quote was deleted since it was begun.')),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', 'claimed_at'], name='idempotency_by_age'), models.Index(condition=models.Q(('forgotten', False)), fields=['tenant', 'bank_key'], name='idempotency_by_bank')],
                    'constraints': [models.UniqueConstraint(fields=('tenant', 'key'), name='idempotency_key_once')],
                },
            ),
            migrations.CreateModel(
                name='Operation',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('kind', models.CharField(max_length=60)),
                    ('status', models.CharField(choices=[('pending', 'Pending'), ('processing', 'Processing'), ('completed', 'Completed'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='pending', max_length=12)),
                    ('bank_key', models.CharField(blank=True, help_text="The bank's id, which outlives the bank.", max_length=200)),
                    ('payload', models.JSONField(default=dict, help_text='All that a worker needs to begin, or to begin again.')),
                    ('result', models.JSONField(null=True)),
                    ('idempotency_key', models.CharField(max_length=255, null=True)),
                    ('stage', models.CharField(blank=True, max_length=60)),
                    ('processed', models.PositiveIntegerField(default=0)),
                    ('total', models.PositiveIntegerField(default=0)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('max_attempts', models.PositiveSmallIntegerField()),
                    ('next_attempt_at', models.DateTimeField(null=True)),
                    ('error_code', models.CharField(blank=True, max_length=60)),
                    ('error_detail', models.TextField(blank=True)),
                    ('lease_until', models.DateTimeField(null=True)),
                    ('fencing_token', models.BigIntegerField(default=0, help_text='Grows with every claim; only its newest holder writes.')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('bank', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('api_key_prefix', models.CharField(blank=True, db_default='', default='', help_text='The key that asked for it, for the usage.', max_length=16)),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', 'status', '-id'], name='operation_by_status')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('idempotency_key__isnull', False)), fields=('tenant', 'idempotency_key'), name='operation_once_per_key'), models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'processing', 'completed', 'failed', 'cancelled'])), name='operation_status_known'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'processing'), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='operation_processing_has_lease')],
                },
            ),
            migrations.CreateModel(
                name='Erasure',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('kind', models.CharField(choices=[('memory', 'Memory'), ('message', 'Message'), ('thread', 'Thread'), ('document', 'Document'), ('entity', 'Entity'), ('bank', 'Bank'), ('tenant', 'Tenant')], max_length=10)),
                    ('bank_key', models.CharField(blank=True, help_text="The bank's id, which outlives the bank; empty for a tenant.", max_length=200)),
                    ('target_id', models.UUIDField(help_text="Null for a thread, whose name is the caller's and may be a text.", null=True)),
                    ('requested_by', models.CharField(max_length=200)),
                    ('requested_at', models.DateTimeField(auto_now_add=True)),
                    ('completed_at', models.DateTimeField(null=True)),
                    ('erased', models.JSONField(default=dict, help_text='Erased rows by table.')),
                    ('rewritten', models.JSONField(default=dict, help_text='Rows that stay without the erased words, by table.')),
                    ('sha256', models.CharField(blank=True, help_text='Of the erased ids.', max_length=64)),
                    ('operation', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='operations.operation')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', '-id'], name='erasures_newest_first')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['memory', 'message', 'thread', 'document', 'entity', 'bank', 'tenant'])), name='erasure_kind_known'), models.CheckConstraint(condition=models.Q(('completed_at', None), models.Q(('sha256', ''), _negated=True), _connector='OR'), name='erasure_completed_with_receipt')],
                },
            ),
            migrations.CreateModel(
                name='LLMRequest',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('task', models.CharField(choices=[('extract', 'extract'), ('reflect', 'reflect'), ('observe', 'observe'), ('judge', 'judge')], max_length=10)),
                    ('service', models.CharField(help_text="llm, or own_llm for a model of the tenant's own.", max_length=12)),
                    ('model', models.CharField(max_length=200)),
                    ('bank_key', models.CharField(blank=True, help_text="The bank's id; empty if several were read.", max_length=200)),
                    ('operation_id', models.UUIDField(help_text='The operation that asked, where one did.', null=True)),
                    ('outcome', models.CharField(help_text='ok, abandoned, or the class of the error.', max_length=60)),
                    ('milliseconds', models.PositiveIntegerField()),
                    ('input_tokens', models.PositiveBigIntegerField()),
                    ('output_tokens', models.PositiveBigIntegerField()),
                    ('calls', models.PositiveIntegerField(help_text='Answers of the model: 2 if it had to correct the first.')),
                    ('estimated', models.BooleanField(help_text='The tokens were counted here, not by the endpoint.')),
                    ('cost', models.DecimalField(decimal_places=9, help_text='Null for a model without a price, and for an own one.', max_digits=20, null=True)),
                    ('prompt', tenants.sealed_text.SealedTextField(help_text='The messages, as JSON.')),
                    ('answer', tenants.sealed_text.SealedTextField(blank=True)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'verbose_name': 'LLM request',
                    'indexes': [models.Index(fields=['tenant', '-id'], name='llm_requests_newest_first'), models.Index(fields=['tenant', 'bank_key', '-id'], name='llm_requests_of_bank'), models.Index(condition=models.Q(('operation_id__isnull', False)), fields=['tenant', 'operation_id'], name='llm_requests_of_work')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('task__in', ['extract', 'reflect', 'observe', 'judge'])), name='llm_request_task_known')],
                },
            ),
        ),
        IsolateTenantTable('IdempotencyRecord'),
        IsolateTenantTable('Operation'),
        IsolateTenantTable('Erasure'),
        IsolateTenantTable('LLMRequest'),
    ]
