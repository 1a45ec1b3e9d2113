import django.db.models.deletion
import tenants.identifiers
from django.db import migrations, models

from tenants.isolation import IsolateTenantTable

# The owner's way past its own wall, for as long as this transaction lasts.
TABLES = (
    "banks_memoryunit",
    "banks_mention",
    "banks_message",
    "banks_unitsource",
    "banks_unittag",
    "reflection_observedentity",
    "reflection_observedscope",
    "reflection_opinionrevision",
    "reflection_revisionevidence",
)
OPEN = [f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY' for table in TABLES]
CLOSE = [statement.replace("NO FORCE", "FORCE") for statement in OPEN]

# What was seen so far was seen without a look at tags, which is right for an entity without any.
KEEP_SEEN = """
INSERT INTO reflection_observedscope
    (id, tenant_id, bank_id, entity_id, tags_hash, told, seen_until, facts, refused_since, due_at)
SELECT gen_random_uuid(), tenant_id, bank_id, entity_id, '', '', seen_until, facts,
    CASE WHEN due_at IS NOT NULL THEN refused_since END, CASE WHEN refused_since IS NOT NULL THEN due_at END
FROM reflection_observedentity WHERE seen_until IS NOT NULL OR refused_since IS NOT NULL
"""

# What rests on tagged facts gets the tags that all of these have: who is shown it by one of them is shown all that it
# rests on. Where they have none in common it gets one that nobody asks for.
TAG = """
WITH resting AS (
    {resting}
), tagged AS (
    SELECT resting.* FROM resting
    WHERE EXISTS (SELECT FROM banks_unittag AS tag WHERE tag.unit_id = resting.fact_id)
      AND NOT EXISTS (SELECT FROM banks_unittag AS tag WHERE tag.unit_id = resting.unit_id)
), counted AS (
    SELECT tenant_id, unit_id, count(*) AS facts FROM tagged GROUP BY tenant_id, unit_id
), shared AS (
    SELECT tagged.tenant_id, tagged.unit_id, tag.tag
    FROM tagged
    JOIN counted USING (tenant_id, unit_id)
    JOIN banks_unittag AS tag ON tag.tenant_id = tagged.tenant_id AND tag.unit_id = tagged.fact_id
    GROUP BY tagged.tenant_id, tagged.unit_id, tag.tag, counted.facts HAVING count(*) = counted.facts
), worn AS (
    SELECT * FROM shared
    UNION ALL
    SELECT tenant_id, unit_id, '{several}' FROM counted
    WHERE NOT EXISTS (SELECT FROM shared WHERE shared.unit_id = counted.unit_id)
)
INSERT INTO banks_unittag (id, tenant_id, bank_id, unit_id, tag)
SELECT gen_random_uuid(), worn.tenant_id, unit.bank_id, unit.id, worn.tag
FROM worn JOIN banks_memoryunit AS unit ON unit.tenant_id = worn.tenant_id AND unit.id = worn.unit_id
WHERE unit.network = '{network}'
"""

# Observations, and summaries of months. Those under several tags stay until the next refresh closes them.
TAG_OBSERVATIONS = TAG.format(
    network="observation",
    several="observed:under-several-tags",
    resting="""SELECT tenant_id, unit_id, other_unit_id AS fact_id FROM banks_unitsource
    WHERE role = 'summarises' AND other_unit_id IS NOT NULL
    UNION
    SELECT summary.tenant_id, summary.unit_id, said.unit_id
    FROM banks_unitsource AS summary
    JOIN banks_message AS message ON message.tenant_id = summary.tenant_id AND message.episode_id = summary.episode_id
    JOIN banks_unitsource AS said ON said.tenant_id = message.tenant_id AND said.message_id = message.id
    WHERE summary.role = 'summarises'""",
)

# By the facts that the wordings of an opinion came from. What retain heard has tags of its own already.
TAG_OPINIONS = TAG.format(
    network="opinion",
    several="formed:under-several-tags",
    resting="""SELECT DISTINCT step.tenant_id, step.opinion_id AS unit_id, ground.fact_id
    FROM reflection_opinionrevision AS step
    JOIN reflection_revisionevidence AS ground ON ground.tenant_id = step.tenant_id AND ground.revision_id = step.id
    WHERE step.number = 1 OR step.text_before <> step.text_after""",
)

# As `hash_tags` does. Where another live one says the same under the same tags, that one is what tells it.
HASH = """
UPDATE banks_memoryunit AS unit SET tags_hash = worn.tags_hash
FROM (
    SELECT tenant_id, unit_id,
        substring(sha256(convert_to(string_agg(tag, E'\\n' ORDER BY tag COLLATE "C"), 'UTF8')) FOR 16) AS tags_hash
    FROM banks_unittag GROUP BY tenant_id, unit_id
) AS worn
WHERE unit.tenant_id = worn.tenant_id AND unit.id = worn.unit_id AND unit.tags_hash = ''
  AND unit.network IN ('observation', 'opinion') AND NOT EXISTS (
    SELECT FROM banks_memoryunit AS other
    WHERE other.bank_id = unit.bank_id AND other.network = unit.network AND other.content_hash = unit.content_hash
      AND other.tags_hash = worn.tags_hash AND other.expired_at IS NULL AND unit.expired_at IS NULL
)
"""

MARK = """
UPDATE reflection_observedentity AS known SET
    stale_since = coalesce(known.stale_since, now()), due_at = now(), changes = known.changes + 1, altered_at = now(),
    refused_since = NULL
WHERE EXISTS (
    SELECT FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = known.tenant_id AND mention.entity_id = known.entity_id AND unit.tags_hash <> ''
)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0015_memories_told_under_tags'),
        ('reflection', '0005_observations_that_follow_edits'),
        ('tenants', '0003_usage'),
    ]

    operations = [
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
        IsolateTenantTable("ObservedScope"),
        migrations.RunSQL(
            [*OPEN, KEEP_SEEN, TAG_OBSERVATIONS, TAG_OPINIONS, HASH, MARK, 'SET CONSTRAINTS ALL IMMEDIATE', *CLOSE],
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.RemoveField(
            model_name='observedentity',
            name='facts',
        ),
        migrations.RemoveField(
            model_name='observedentity',
            name='seen_until',
        ),
        migrations.AlterField(
            model_name='observedentity',
            name='refused_since',
            field=models.DateTimeField(help_text='Since when no observer could make anything of what is left of it to observe.', null=True),
        ),
    ]
