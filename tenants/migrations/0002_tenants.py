from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import tenants.identifiers
import tenants.sealed_text
from django.conf import settings
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable
from tenants.table_creation import CreateTables

SQL = Path(__file__).parents[1] / 'sql'


class Migration(migrations.Migration):

    replaces = [
        ('tenants', '0002_walls'),
        ('tenants', '0003_usage'),
        ('tenants', '0004_webhooks'),
        ('tenants', '0005_sealed_secrets_and_progress'),
        ('tenants', '0006_help_texts'),
        ('tenants', '0007_invitations'),
        ('tenants', '0008_plans_and_usage'),
        ('tenants', '0009_deletion_of_tenants'),
        ('tenants', '0010_audit_addresses'),
        ('tenants', '0011_connected_apps'),
        ('tenants', '0012_own_llm'),
        ('tenants', '0013_webhook_failures'),
        ('tenants', '0014_every_memory_counts'),
        ('tenants', '0015_llm_per_task'),
        ('tenants', '0016_llm_log_days'),
    ]

    # Other packages come first: each of their steps renders every model that is related to the user.
    dependencies = [
        ('account', '0009_emailaddress_unique_primary_email'),
        ('allauth_idp_oidc', '0003_client_allow_uri_wildcards'),
        ('mfa', '0003_authenticator_type_uniq'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
        ('tenants', '0001_initial'),
        ('usersessions', '0001_initial'),
    ]

    operations = [
        CreateTables(
            migrations.CreateModel(
                name='Tenant',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('slug', models.SlugField(max_length=63, unique=True)),
                    ('name', models.CharField(max_length=200)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('suspended_at', models.DateTimeField(blank=True, help_text='Keys and members of a suspended tenant are refused.', null=True)),
                    ('deletion_due_at', models.DateTimeField(blank=True, editable=False, help_text='When everything of the tenant is erased.', null=True)),
                    ('deletion_requested_at', models.DateTimeField(blank=True, editable=False, null=True)),
                    ('deletion_requested_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('llm_log_days', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Days that LLM requests are kept. 0: none is logged.')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('llm_log_days__lte', 90)), name='tenant_llm_log_days_range')],
                },
            ),
            migrations.CreateModel(
                name='Member',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('role', models.CharField(choices=[('owner', 'Owner'), ('admin', 'Admin'), ('member', 'Member'), ('viewer', 'Viewer')], max_length=10)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('tenant', 'user'), name='member_once_per_tenant'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'admin', 'member', 'viewer'])), name='member_role_known')],
                },
            ),
            migrations.CreateModel(
                name='AuditEvent',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('at', models.DateTimeField(auto_now_add=True)),
                    ('action', models.CharField(help_text='Such as bank.deleted or api_key.revoked.', max_length=60)),
                    ('target', models.CharField(help_text='What it was done to, such as bank:support.', max_length=300)),
                    ('api_key_prefix', models.CharField(blank=True, max_length=16)),
                    ('request_id', models.CharField(blank=True, max_length=64)),
                    ('detail', models.JSONField(default=dict)),
                    ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('address', models.GenericIPAddressField(help_text='Of the client; null for the service itself.', null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', '-id'], name='audit_newest_first')],
                },
            ),
            migrations.CreateModel(
                name='ApiKey',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('name', models.CharField(max_length=200)),
                    ('prefix', models.CharField(max_length=16, unique=True)),
                    ('digest', models.BinaryField(max_length=32)),
                    ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('write', 'Write'), ('admin', 'Admin')], max_length=10), help_text='read and write stand alone; admin includes both.', size=None)),
                    ('banks', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, help_text='Ids of the banks that the key may touch; every bank where there is no list.', null=True, size=None)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('last_used_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('last_used_address', models.GenericIPAddressField(blank=True, null=True)),
                    ('last_used_agent', models.CharField(blank=True, db_default='', help_text='The User-Agent header.', max_length=200)),
                    ('replaced_by', models.ForeignKey(blank=True, db_constraint=False, help_text='The key that a rotation made; this one works until `expires_at`.', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.apikey')),
                ],
                options={
                    'verbose_name': 'API key',
                    'constraints': [models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['read', 'write', 'admin']), ('scopes__len__gt', 0)), name='api_key_scopes_known')],
                },
            ),
            migrations.CreateModel(
                name='UsageRecord',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('at', models.DateTimeField(auto_now_add=True)),
                    ('kind', models.CharField(choices=[('retain', 'Retain'), ('recall', 'Recall'), ('reflect', 'Reflect'), ('consolidate', 'Consolidate'), ('edit', 'Edit')], max_length=12)),
                    ('bank_id', models.CharField(blank=True, help_text="The caller's name for the bank.", max_length=200)),
                    ('operation_id', models.UUIDField(help_text='The operation that spent it, where one did.', null=True)),
                    ('input_tokens', models.PositiveBigIntegerField(default=0, help_text='Sent to models.')),
                    ('output_tokens', models.PositiveBigIntegerField(default=0)),
                    ('calls', models.PositiveIntegerField(default=0)),
                    ('estimated', models.BooleanField(default=False, help_text='At least a part was counted here, not by the endpoint.')),
                    ('memories', models.PositiveIntegerField(default=0, help_text='Stored by a retain, returned by a recall.')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('api_key_prefix', models.CharField(blank=True, db_default='', default='', max_length=16)),
                    ('attempt', models.BigIntegerField(db_default=0, default=0, help_text='The fencing token of the attempt.')),
                    ('by_model', models.JSONField(db_default=models.Value([], models.JSONField()), default=list, help_text='The tokens and calls of each model.')),
                    ('stored_bytes', models.PositiveBigIntegerField(db_default=0, default=0, help_text='Text that a retain archived.')),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', 'at'], name='usage_by_time')],
                    'constraints': [models.UniqueConstraint(fields=('tenant', 'operation_id', 'kind', 'attempt'), name='usage_of_attempt_once')],
                },
            ),
            migrations.CreateModel(
                name='Webhook',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('name', models.CharField(blank=True, max_length=200)),
                    ('url', models.CharField(max_length=2000)),
                    ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), size=None)),
                    ('bank_id', models.CharField(blank=True, help_text="The caller's id of the bank whose events are sent; empty: every bank.", max_length=200)),
                    ('secret', tenants.sealed_text.SealedTextField(help_text='Signs the messages, so a digest would not do.')),
                    ('shape', models.CharField(default='platform', help_text="The form of the messages: ours or another product's.", max_length=20)),
                    ('options', models.JSONField(default=dict, help_text='Options of the shape.')),
                    ('enabled', models.BooleanField(default=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('disabled_at', models.DateTimeField(help_text='When the service disabled it, because every attempt failed for days.', null=True)),
                    ('failing_since', models.DateTimeField(help_text='The first failed attempt after the newest success; null: the newest attempt succeeded.', null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', '-id'], name='webhooks_of_tenant')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('disabled_at', None), ('enabled', False), _connector='OR'), name='webhook_disabled_is_not_enabled')],
                },
            ),
            migrations.CreateModel(
                name='Delivery',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('event_id', models.UUIDField(help_text='The same for every address.')),
                    ('event', models.CharField(max_length=60)),
                    ('bank_id', models.CharField(blank=True, max_length=200)),
                    ('data', models.JSONField(default=dict)),
                    ('status', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=10)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('answer_code', models.PositiveSmallIntegerField(help_text='Of the newest attempt.', null=True)),
                    ('error', models.CharField(blank=True, help_text='Why the newest attempt failed.', max_length=300)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('attempted_at', models.DateTimeField(null=True)),
                    ('next_attempt_at', models.DateTimeField(null=True)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('webhook', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.webhook')),
                    ('told', models.PositiveIntegerField(default=0, help_text='The number of its messages that have arrived.')),
                ],
                options={
                    'indexes': [models.Index(fields=['webhook', '-id'], name='deliveries_of_webhook'), models.Index(fields=['tenant', 'created_at'], name='deliveries_by_age')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'delivered', 'failed'])), name='delivery_status_known')],
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('email', models.EmailField(max_length=254)),
                    ('role', models.CharField(choices=[('owner', 'Owner'), ('admin', 'Admin'), ('member', 'Member'), ('viewer', 'Viewer')], max_length=10)),
                    ('digest', models.BinaryField(max_length=32, unique=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('expires_at', models.DateTimeField()),
                    ('accepted_at', models.DateTimeField(null=True)),
                    ('revoked_at', models.DateTimeField(null=True)),
                    ('accepted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('invited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('tenant'), django.db.models.functions.text.Lower('email'), condition=models.Q(('accepted_at', None), ('revoked_at', None)), name='invited_once'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'admin', 'member', 'viewer'])), name='invitation_role_known')],
                },
            ),
            migrations.CreateModel(
                name='Plan',
                fields=[
                    ('requests_per_minute', models.IntegerField(blank=True, help_text='Of all keys of the tenant together.', null=True)),
                    ('memories', models.BigIntegerField(blank=True, help_text='Facts, opinions and observations, current or closed.', null=True)),
                    ('banks', models.BigIntegerField(blank=True, help_text='Banks that are not deleted.', null=True)),
                    ('stored_bytes', models.BigIntegerField(blank=True, help_text='Text of messages, documents and memories, in UTF-8.', null=True)),
                    ('llm_tokens_per_month', models.BigIntegerField(blank=True, help_text='Read and written by language models in a calendar month (UTC).', null=True)),
                    ('members', models.BigIntegerField(blank=True, help_text='People in the tenant, with open invitations.', null=True)),
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('name', models.CharField(help_text='Shown to customers; a label of the metrics.', max_length=60, unique=True)),
                    ('is_default', models.BooleanField(default=False, help_text='Of every tenant that has no plan assigned.')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.F('is_default'), condition=models.Q(('is_default', True)), name='one_default_plan'), models.CheckConstraint(condition=models.Q(('requests_per_minute__isnull', True), ('requests_per_minute__range', (1, 1000000)), _connector='OR'), name='plan_requests_per_minute_in_range', violation_error_message='requests_per_minute: give a number from 1 to 1000000.'), models.CheckConstraint(condition=models.Q(('memories__isnull', True), ('memories__range', (0, 1000000000000000)), _connector='OR'), name='plan_memories_in_range', violation_error_message='memories: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('banks__isnull', True), ('banks__range', (0, 1000000000000000)), _connector='OR'), name='plan_banks_in_range', violation_error_message='banks: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('stored_bytes__isnull', True), ('stored_bytes__range', (0, 1000000000000000)), _connector='OR'), name='plan_stored_bytes_in_range', violation_error_message='stored_bytes: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('llm_tokens_per_month__isnull', True), ('llm_tokens_per_month__range', (0, 1000000000000000)), _connector='OR'), name='plan_llm_tokens_per_month_in_range', violation_error_message='llm_tokens_per_month: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('members__isnull', True), ('members__range', (0, 1000000000000000)), _connector='OR'), name='plan_members_in_range', violation_error_message='members: give a number from 0 to 1000000000000000.')],
                },
            ),
            migrations.CreateModel(
                name='PlanAssignment',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('requests_per_minute', models.IntegerField(blank=True, help_text='Of all keys of the tenant together.', null=True)),
                    ('memories', models.BigIntegerField(blank=True, help_text='Facts, opinions and observations, current or closed.', null=True)),
                    ('banks', models.BigIntegerField(blank=True, help_text='Banks that are not deleted.', null=True)),
                    ('stored_bytes', models.BigIntegerField(blank=True, help_text='Text of messages, documents and memories, in UTF-8.', null=True)),
                    ('llm_tokens_per_month', models.BigIntegerField(blank=True, help_text='Read and written by language models in a calendar month (UTC).', null=True)),
                    ('members', models.BigIntegerField(blank=True, help_text='People in the tenant, with open invitations.', null=True)),
                    ('note', models.CharField(blank=True, help_text='For staff: why the tenant has other limits.', max_length=300)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.plan')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'verbose_name': 'plan of a tenant',
                    'verbose_name_plural': 'plans of tenants',
                    'constraints': [models.UniqueConstraint(fields=('tenant',), name='one_plan_per_tenant'), models.CheckConstraint(condition=models.Q(('requests_per_minute__isnull', True), ('requests_per_minute__range', (1, 1000000)), _connector='OR'), name='plan_assignment_requests_per_minute_in_range', violation_error_message='requests_per_minute: give a number from 1 to 1000000.'), models.CheckConstraint(condition=models.Q(('memories__isnull', True), ('memories__range', (0, 1000000000000000)), _connector='OR'), name='plan_assignment_memories_in_range', violation_error_message='memories: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('banks__isnull', True), ('banks__range', (0, 1000000000000000)), _connector='OR'), name='plan_assignment_banks_in_range', violation_error_message='banks: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('stored_bytes__isnull', True), ('stored_bytes__range', (0, 1000000000000000)), _connector='OR'), name='plan_assignment_stored_bytes_in_range', violation_error_message='stored_bytes: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('llm_tokens_per_month__isnull', True), ('llm_tokens_per_month__range', (0, 1000000000000000)), _connector='OR'), name='plan_assignment_llm_tokens_per_month_in_range', violation_error_message='llm_tokens_per_month: give a number from 0 to 1000000000000000.'), models.CheckConstraint(condition=models.Q(('members__isnull', True), ('members__range', (0, 1000000000000000)), _connector='OR'), name='plan_assignment_members_in_range', violation_error_message='members: give a number from 0 to 1000000000000000.')],
                },
            ),
            migrations.CreateModel(
                name='QuotaNotice',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('quota', models.CharField(choices=[('memories', 'Memories'), ('banks', 'Banks'), ('stored_bytes', 'Stored Bytes'), ('llm_tokens_per_month', 'Llm Tokens'), ('members', 'Members')], max_length=20)),
                    ('level', models.PositiveSmallIntegerField(help_text='80 or 100 per cent.')),
                    ('month', models.DateField(help_text='Its first day.')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('tenant', 'quota', 'level', 'month'), name='quota_notice_once_a_month')],
                },
            ),
            migrations.CreateModel(
                name='StorageChange',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('day', models.DateField(help_text='In UTC.')),
                    ('memories', models.BigIntegerField(default=0)),
                    ('stored_bytes', models.BigIntegerField(default=0)),
                    ('transaction', models.BigIntegerField(default=0, help_text='Its id in Postgres; 0 for a sum of several.')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['tenant', 'day'], name='storage_of_tenant')],
                },
            ),
            migrations.CreateModel(
                name='UsageDay',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('day', models.DateField()),
                    ('bank_id', models.CharField(blank=True, max_length=200)),
                    ('api_key_prefix', models.CharField(blank=True, max_length=16)),
                    ('kind', models.CharField(choices=[('retain', 'Retain'), ('recall', 'Recall'), ('reflect', 'Reflect'), ('consolidate', 'Consolidate'), ('edit', 'Edit')], max_length=12)),
                    ('service', models.CharField(blank=True, help_text="llm, own_llm (the tenant's own), embedding or reranking.", max_length=12)),
                    ('model', models.CharField(blank=True, max_length=200)),
                    ('requests', models.PositiveBigIntegerField(default=0)),
                    ('calls', models.PositiveBigIntegerField(default=0)),
                    ('input_tokens', models.PositiveBigIntegerField(default=0)),
                    ('output_tokens', models.PositiveBigIntegerField(default=0)),
                    ('memories', models.PositiveBigIntegerField(default=0)),
                    ('stored_bytes', models.PositiveBigIntegerField(default=0)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('tenant', 'day', 'bank_id', 'api_key_prefix', 'kind', 'service', 'model'), name='usage_day_once')],
                },
            ),
            migrations.CreateModel(
                name='TenantErasure',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('erased_tenant', models.UUIDField(unique=True)),
                    ('requested_by', models.UUIDField(help_text='The owner who asked for it.', null=True)),
                    ('requested_at', models.DateTimeField()),
                    ('erased_at', models.DateTimeField(auto_now_add=True)),
                    ('counts', models.JSONField(help_text='Erased rows by table.')),
                    ('sha256', models.CharField(help_text='Of the erased ids.', max_length=64)),
                ],
            ),
            migrations.CreateModel(
                name='ConnectedApp',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=10), size=None)),
                    ('banks', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), help_text='Null: every bank.', null=True, size=None)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('revoked_at', models.DateTimeField(null=True)),
                    ('last_used_at', models.DateTimeField(null=True)),
                    ('last_used_address', models.GenericIPAddressField(null=True)),
                    ('last_used_agent', models.CharField(blank=True, max_length=200)),
                    ('client', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='allauth_idp_oidc.client')),
                    ('member', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.member')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('client', 'user'), name='app_connected_once'), models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['read', 'write']), ('scopes__len__gt', 0)), name='app_scopes_known')],
                },
            ),
            migrations.CreateModel(
                name='OwnLLM',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('task', models.CharField(choices=[('all', 'All'), ('extract', 'Extract'), ('reflect', 'Reflect'), ('observe', 'Observe'), ('judge', 'Judge'), ('fallback', 'Fallback')], default='all', max_length=20)),
                    ('base_url', models.CharField(max_length=2000)),
                    ('model', models.CharField(max_length=200)),
                    ('api_key', tenants.sealed_text.SealedTextField(blank=True)),
                    ('key_ending', models.CharField(blank=True, help_text='The last characters of the key, for people.', max_length=4)),
                    ('checked_at', models.DateTimeField(help_text='When the endpoint last passed the test call.')),
                    ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('reasoning_effort', models.CharField(blank=True, max_length=20)),
                    ('temperature', models.FloatField(blank=True, null=True)),
                    ('timeout_seconds', models.FloatField(blank=True, null=True)),
                ],
                options={
                    'verbose_name': 'own LLM',
                    'constraints': [models.UniqueConstraint(fields=('tenant', 'task'), name='own_llm_once_a_task'), models.CheckConstraint(condition=models.Q(('task__in', ['all', 'extract', 'reflect', 'observe', 'judge', 'fallback'])), name='own_llm_task_known'), models.CheckConstraint(condition=models.Q(('temperature', None), ('temperature__range', (0, 2)), _connector='OR'), name='own_llm_temperature_range'), models.CheckConstraint(condition=models.Q(('timeout_seconds', None), ('timeout_seconds__gt', 0), _connector='OR'), name='own_llm_timeout_positive')],
                },
            ),
        ),
        IsolateTenantTable('Tenant', tenant_column='id'),
        IsolateTenantTable('Member'),
        IsolateTenantTable('ApiKey'),
        IsolateTenantTable('AuditEvent'),
        IsolateTenantTable('UsageRecord'),
        IsolateTenantTable('Webhook'),
        IsolateTenantTable('Delivery'),
        IsolateTenantTable('Invitation'),
        IsolateTenantTable('PlanAssignment'),
        IsolateTenantTable('StorageChange'),
        IsolateTenantTable('QuotaNotice'),
        IsolateTenantTable('UsageDay'),
        IsolateTenantTable('ConnectedApp'),
        IsolateTenantTable('OwnLLM'),
        migrations.RunSQL((SQL / 'connected_apps.sql').read_text()),
        migrations.RunSQL((SQL / 'lookups.sql').read_text()),
        migrations.RunSQL((SQL / 'quotas.sql').read_text()),
        migrations.RunSQL((SQL / 'erase_tenant.sql').read_text()),
        migrations.RunSQL((SQL / 'rights.sql').read_text()),
    ]
