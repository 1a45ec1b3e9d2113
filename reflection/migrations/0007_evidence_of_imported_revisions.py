from django.db import migrations

TABLES = ("reflection_opinionrevision", "reflection_revisionevidence", "banks_unitsource")
# The owner's way past its own wall, for as long as this transaction lasts.
OPEN = [f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY' for table in TABLES]
CLOSE = [statement.replace("NO FORCE", "FORCE") for statement in OPEN]

# An import of an old file left revisions without evidence rows. A verdict has the fact that it was given on, or null if
# that was deleted. All other facts that an opinion rests on count as the evidence that it was formed on.
FILL_VERDICTS = """
INSERT INTO reflection_revisionevidence (id, tenant_id, bank_id, opinion_id, revision_id, fact_id, bears, taken_back)
SELECT gen_random_uuid(), tenant_id, bank_id, opinion_id, id, evidence_id, true, withdrawn
FROM reflection_opinionrevision AS revision
WHERE (evidence_id IS NOT NULL OR cause IN ('reinforce', 'weaken', 'contradict')) AND NOT EXISTS (
    SELECT FROM reflection_revisionevidence AS known
    WHERE known.tenant_id = revision.tenant_id AND known.revision_id = revision.id
)
"""
FILL_FORMATIONS = """
INSERT INTO reflection_revisionevidence (id, tenant_id, bank_id, opinion_id, revision_id, fact_id, bears, taken_back)
SELECT gen_random_uuid(), formed.tenant_id, formed.bank_id, formed.opinion_id, formed.id, source.other_unit_id, true, false
FROM reflection_opinionrevision AS formed
JOIN (
    SELECT DISTINCT tenant_id, unit_id, other_unit_id FROM banks_unitsource WHERE role = 'evidence'
) AS source ON source.tenant_id = formed.tenant_id AND source.unit_id = formed.opinion_id
WHERE formed.number = 1 AND source.other_unit_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM reflection_revisionevidence AS known
    WHERE known.tenant_id = formed.tenant_id AND known.opinion_id = formed.opinion_id
      AND known.fact_id = source.other_unit_id
)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("reflection", "0006_observations_by_tags"),
    ]

    operations = [
        migrations.RunSQL(
            [*OPEN, FILL_VERDICTS, FILL_FORMATIONS, "SET CONSTRAINTS ALL IMMEDIATE", *CLOSE],
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.RemoveIndex(model_name="opinionrevision", name="opinion_evidence_gone"),
    ]
