import django.db.models.deletion
import tenants.identifiers
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable

# The owner's way past its own wall, for as long as this transaction lasts.
OPEN = [f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY' for table in ("reflection_opinionrevision", "banks_unitsource")]
CLOSE = [statement.replace("NO FORCE", "FORCE") for statement in OPEN]

# Each verdict has the fact that it was given on. All other facts that an opinion rests on count as what it was
# formed on: nothing tells more of them.
FILL = """
INSERT INTO reflection_revisionevidence (id, tenant_id, bank_id, opinion_id, revision_id, fact_id, bears, taken_back)
SELECT gen_random_uuid(), tenant_id, bank_id, opinion_id, id, evidence_id, true, withdrawn
FROM reflection_opinionrevision WHERE evidence_id IS NOT NULL
UNION ALL
SELECT gen_random_uuid(), formed.tenant_id, formed.bank_id, formed.opinion_id, formed.id, source.other_unit_id, true, false
FROM reflection_opinionrevision AS formed
JOIN (
    SELECT DISTINCT tenant_id, unit_id, other_unit_id FROM banks_unitsource WHERE role = 'evidence'
) AS source ON source.tenant_id = formed.tenant_id AND source.unit_id = formed.opinion_id
WHERE formed.number = 1 AND source.other_unit_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM reflection_opinionrevision AS step
    WHERE step.tenant_id = formed.tenant_id AND step.opinion_id = formed.opinion_id
      AND step.evidence_id = source.other_unit_id
)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0012_banks_that_learn_who_they_are'),
        ('reflection', '0003_directives_and_mental_models'),
        ('tenants', '0003_usage'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='opinionrevision',
            name='opinion_evidence_once',
        ),
        migrations.AlterField(
            model_name='opinionrevision',
            name='cause',
            field=models.CharField(choices=[('formed', 'Formed'), ('restated', 'Restated'), ('revised', 'Revised'), ('reinforce', 'Reinforce'), ('weaken', 'Weaken'), ('contradict', 'Contradict'), ('withdrawn', 'Withdrawn'), ('reopened', 'Reopened'), ('edited', 'Edited'), ('approved', 'Approved'), ('pinned', 'Pinned'), ('unpinned', 'Unpinned'), ('retired', 'Retired'), ('restored', 'Restored')], max_length=12),
        ),
        migrations.AlterField(
            model_name='opinionrevision',
            name='evidence',
            field=models.ForeignKey(db_constraint=False, help_text='The first that is left of it; all are rows of their own.', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='banks.memoryunit'),
        ),
        migrations.AlterField(
            model_name='opinionrevision',
            name='withdrawn',
            field=models.BooleanField(default=False, help_text='Its evidence was deleted, corrected or edited; a later revision took it back.'),
        ),
        migrations.AddConstraint(
            model_name='opinionrevision',
            constraint=models.UniqueConstraint(condition=models.Q(('cause__in', ['reinforce', 'weaken', 'contradict']), ('withdrawn', False)), fields=('opinion', 'evidence'), name='opinion_evidence_once'),
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
        migrations.RunSQL(
            [*OPEN, FILL, 'SET CONSTRAINTS ALL IMMEDIATE', *CLOSE],
            reverse_sql=migrations.RunSQL.noop,
        ),
        IsolateTenantTable("RevisionEvidence"),
    ]
