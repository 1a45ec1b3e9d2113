import django.contrib.postgres.fields
import django.db.models.deletion
import tenants.identifiers
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable
from tenants.table_creation import CreateTables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('reflection', '0001_beliefs'),
        ('reflection', '0002_opinion'),
        ('reflection', '0003_directives_and_mental_models'),
        ('reflection', '0004_evidence_of_revisions'),
        ('reflection', '0005_observations_that_follow_edits'),
        ('reflection', '0006_observations_by_tags'),
        ('reflection', '0007_evidence_of_imported_revisions'),
    ]

    dependencies = [
        ('banks', '0001_initial'),
        ('tenants', '0002_tenants'),
    ]

    operations = [
        CreateTables(
            migrations.CreateModel(
                name='BackgroundRevision',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('number', models.PositiveIntegerField(help_text='From 1, without gaps.')),
                    ('before', models.TextField(blank=True)),
                    ('after', models.TextField(blank=True)),
                    ('snippet', models.TextField(blank=True, help_text='What was merged in, as it was given; empty where it was set.')),
                    ('engine', models.CharField(blank=True, help_text='What merged it; empty where it was set.', max_length=200)),
                    ('actor', models.CharField(max_length=200)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('bank', 'number'), name='background_revision_once')],
                },
            ),
            migrations.CreateModel(
                name='ObservedEntity',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('stale_since', models.DateTimeField(help_text='The first change that no refresh has seen.', null=True)),
                    ('due_at', models.DateTimeField(help_text='When the next refresh may take it: changes in between join it.', null=True)),
                    ('changes', models.PositiveIntegerField(default=0, help_text='Facts that came or went since the last refresh.')),
                    ('refreshed_at', models.DateTimeField(null=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('entity', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.entity')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('altered_at', models.DateTimeField(help_text='When a fact was last edited, closed or deleted, where no refresh has seen that yet.', null=True)),
                    ('refused_since', models.DateTimeField(help_text='Since when no observer could make anything of what is left of it to observe.', null=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('stale_since__isnull', False)), fields=['bank', 'due_at'], name='observed_entity_due')],
                    'constraints': [models.UniqueConstraint(fields=('entity',), name='observed_entity_once'), models.CheckConstraint(condition=models.Q(models.Q(('due_at', None), ('stale_since', None)), models.Q(('due_at__isnull', False), ('stale_since__isnull', False)), _connector='OR'), name='observed_entity_due_while_stale')],
                },
            ),
            migrations.CreateModel(
                name='OpinionRevision',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('number', models.PositiveIntegerField(help_text='From 1, without gaps.')),
                    ('cause', models.CharField(choices=[('formed', 'Formed'), ('restated', 'Restated'), ('revised', 'Revised'), ('reinforce', 'Reinforce'), ('weaken', 'Weaken'), ('contradict', 'Contradict'), ('withdrawn', 'Withdrawn'), ('reopened', 'Reopened'), ('edited', 'Edited'), ('approved', 'Approved'), ('pinned', 'Pinned'), ('unpinned', 'Unpinned'), ('retired', 'Retired'), ('restored', 'Restored')], max_length=12)),
                    ('confidence_before', models.FloatField(null=True)),
                    ('confidence_after', models.FloatField()),
                    ('text_before', models.TextField(blank=True)),
                    ('text_after', models.TextField()),
                    ('step', models.FloatField(help_text='The alpha of formula 26 that was in force.', null=True)),
                    ('withdrawn', models.BooleanField(default=False, help_text='Its evidence was deleted, corrected or edited; a later revision took it back.')),
                    ('reasoning', models.TextField(blank=True)),
                    ('actor', models.CharField(help_text="Who or what did it: a person, an API key's prefix, an engine.", max_length=200)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('evidence', models.ForeignKey(db_constraint=False, help_text='The first that is left of it; all are rows of their own.', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit')),
                    ('opinion', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='opinion_revisions_of_bank')],
                    'constraints': [models.UniqueConstraint(fields=('opinion', 'number'), name='opinion_revision_once'), models.CheckConstraint(condition=models.Q(('confidence_after__range', (0.0, 1.0)), models.Q(('confidence_before', None), ('confidence_before__range', (0.0, 1.0)), _connector='OR')), name='opinion_confidence_in_range'), models.CheckConstraint(condition=models.Q(models.Q(('confidence_before', None), ('number', 1)), models.Q(('confidence_before__isnull', False), ('number__gt', 1)), _connector='OR'), name='opinion_begins_with_its_formation'), models.UniqueConstraint(condition=models.Q(('cause__in', ['reinforce', 'weaken', 'contradict']), ('withdrawn', False)), fields=('opinion', 'evidence'), name='opinion_evidence_once')],
                },
            ),
            migrations.CreateModel(
                name='RetentionRule',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('name', models.CharField(max_length=100)),
                    ('network', models.CharField(blank=True, choices=[('world', 'World'), ('experience', 'Experience'), ('opinion', 'Opinion'), ('observation', 'Observation')], help_text='Empty: every one.', max_length=12)),
                    ('tag', models.CharField(blank=True, help_text='Empty: with or without tags.', max_length=200)),
                    ('days', models.PositiveIntegerField(help_text='Since it was last said.')),
                    ('action', models.CharField(choices=[('fade', 'Fade'), ('delete', 'Delete')], default='fade', max_length=6)),
                    ('enabled', models.BooleanField(default=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('applied_at', models.DateTimeField(null=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('bank', 'name'), name='retention_rule_once'), models.CheckConstraint(condition=models.Q(('action__in', ['fade', 'delete'])), name='retention_action_known'), models.CheckConstraint(condition=models.Q(('network__in', ['', 'world', 'experience', 'opinion', 'observation'])), name='retention_network_known'), models.CheckConstraint(condition=models.Q(('action', 'fade'), models.Q(('network', ''), _negated=True), models.Q(('tag', ''), _negated=True), _connector='OR'), name='retention_deletes_what_it_names'), models.CheckConstraint(condition=models.Q(('days__gte', 1)), name='retention_at_least_a_day')],
                },
            ),
            migrations.CreateModel(
                name='Opinion',
                fields=[
                ],
                options={
                    'proxy': True,
                },
                bases=('banks.memoryunit',),
            ),
            migrations.CreateModel(
                name='MentalModel',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('key', models.CharField(help_text='The id that callers know it by.', max_length=200)),
                    ('name', models.CharField(max_length=200)),
                    ('source_query', models.TextField()),
                    ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), default=list, help_text='Of the memories that it is made from; empty: of all.', size=None)),
                    ('max_tokens', models.PositiveIntegerField(default=2048)),
                    ('trigger', models.JSONField(default=dict, help_text='When and how it is written anew.')),
                    ('content', models.TextField(blank=True, help_text='That of the last revision.')),
                    ('revision', models.PositiveIntegerField(default=0, help_text='The number of the last one; 0 before the first.')),
                    ('seen_until', models.DateTimeField(help_text='When the newest memory was recorded that it has seen.', null=True)),
                    ('refreshed_at', models.DateTimeField(null=True)),
                    ('failed_at', models.DateTimeField(help_text='When the last refresh failed; null where it did not.', null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('bank', 'key'), name='mental_model_once'), models.CheckConstraint(condition=models.Q(('max_tokens__range', (256, 8192))), name='mental_model_has_a_length')],
                },
            ),
            migrations.CreateModel(
                name='MentalModelRevision',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('number', models.PositiveIntegerField(help_text='From 1, without gaps.')),
                    ('source_query', models.TextField(help_text='As it was asked.')),
                    ('content', models.TextField(blank=True, help_text='Empty where it was cleared or withdrawn.')),
                    ('structured', models.JSONField(help_text='The same by the schema of the trigger.', null=True)),
                    ('engine', models.CharField(blank=True, help_text='What wrote it; empty where it was cleared.', max_length=200)),
                    ('withdrawn', models.BooleanField(default=False, help_text='A memory that it was made from was deleted.')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('mental_model', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='reflection.mentalmodel')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='mental_model_revisions_of_bank')],
                    'constraints': [models.UniqueConstraint(fields=('mental_model', 'number'), name='mental_model_revision_once'), models.CheckConstraint(condition=models.Q(('withdrawn', False), ('content', ''), _connector='OR'), name='mental_model_withdrawn_is_empty')],
                },
            ),
            migrations.CreateModel(
                name='MentalModelSource',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('is_cited', models.BooleanField(default=False)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('chunk', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.chunk')),
                    ('revision', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='reflection.mentalmodelrevision')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                    ('unit', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='mental_model_sources_of_bank'), models.Index(condition=models.Q(('chunk', None), ('unit', None)), fields=['bank'], name='mental_model_source_gone')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('unit', None), ('chunk', None), _connector='OR'), name='mental_model_source_is_one')],
                },
            ),
            migrations.CreateModel(
                name='Directive',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('name', models.CharField(max_length=200)),
                    ('content', models.TextField()),
                    ('priority', models.SmallIntegerField(default=0, help_text='The higher one is told first.')),
                    ('is_active', models.BooleanField(default=True)),
                    ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), default=list, help_text='Empty: for every answer. Else for questions with fitting tags.', size=None)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='directives_of_bank')],
                },
            ),
            migrations.CreateModel(
                name='RevisionEvidence',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('bears', models.BooleanField(default=True, help_text='False: it was in view when the step was worded, and did not move the opinion.')),
                    ('taken_back', models.BooleanField(default=False, help_text='It was deleted, corrected or edited since, and what it did was taken back.')),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('fact', models.ForeignKey(db_constraint=False, help_text='Null after its deletion.', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit')),
                    ('opinion', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit')),
                    ('revision', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='grounds', to='reflection.opinionrevision')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='revision_evidence_of_bank'), models.Index(condition=models.Q(('fact', None), ('taken_back', False)), fields=['bank'], name='revision_evidence_gone')],
                    'constraints': [models.UniqueConstraint(fields=('revision', 'fact'), name='revision_evidence_once')],
                },
            ),
            migrations.CreateModel(
                name='ObservedScope',
                fields=[
                    ('id', models.UUIDField(default=tenants.identifiers.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('tags_hash', models.BinaryField(db_default=b'', help_text='Of the tags; empty where there are none.', max_length=16)),
                    ('told', models.CharField(blank=True, help_text='What the moments at which its facts last changed added up to, when they were observed.', max_length=50)),
                    ('seen_until', models.DateTimeField(help_text='Facts recorded up to here are in the observations.', null=True)),
                    ('facts', models.PositiveIntegerField(default=0, help_text='How many the last refresh saw.')),
                    ('altered_at', models.DateTimeField(help_text='The alteration of its entity that it was last asked after.', null=True)),
                    ('refused_since', models.DateTimeField(help_text='Since when no observer could make anything of it.', null=True)),
                    ('due_at', models.DateTimeField(help_text='When it is asked again after a refusal.', null=True)),
                    ('bank', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.bank')),
                    ('entity', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.entity')),
                    ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.tenant')),
                ],
                options={
                    'indexes': [models.Index(fields=['bank', 'id'], name='observed_scopes_of_bank')],
                    'constraints': [models.UniqueConstraint(fields=('entity', 'tags_hash'), name='observed_scope_once'), models.CheckConstraint(condition=models.Q(models.Q(('due_at', None), ('refused_since', None)), models.Q(('due_at__isnull', False), ('refused_since__isnull', False)), _connector='OR'), name='observed_scope_due_while_refused')],
                },
            ),
        ),
        IsolateTenantTable('BackgroundRevision'),
        IsolateTenantTable('ObservedEntity'),
        IsolateTenantTable('ObservedScope'),
        IsolateTenantTable('OpinionRevision'),
        IsolateTenantTable('RevisionEvidence'),
        IsolateTenantTable('RetentionRule'),
        IsolateTenantTable('Directive'),
        IsolateTenantTable('MentalModel'),
        IsolateTenantTable('MentalModelRevision'),
        IsolateTenantTable('MentalModelSource'),
    ]
