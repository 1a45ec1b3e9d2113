from django.db import migrations, models

# The owner's way past its own wall, for as long as this transaction lasts.
OPEN = [f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY' for table in ("banks_memoryunit", "banks_unittag")]
CLOSE = [statement.replace("NO FORCE", "FORCE") for statement in OPEN]

# As `hash_tags` does: the tags in the order of their bytes, a line each.
FILL = """
UPDATE banks_memoryunit AS unit SET tags_hash = substring(sha256(convert_to(worn.tags, 'UTF8')) FOR 16)
FROM (
    SELECT tenant_id, unit_id, string_agg(tag, E'\\n' ORDER BY tag COLLATE "C") AS tags
    FROM banks_unittag GROUP BY tenant_id, unit_id
) AS worn
WHERE unit.tenant_id = worn.tenant_id AND unit.id = worn.unit_id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0014_messages_have_no_document'),
    ]

    operations = [
        migrations.AddField(
            model_name='memoryunit',
            name='tags_hash',
            field=models.BinaryField(db_default=b'', help_text="Of its tags; empty without tags.", max_length=16),
        ),
        migrations.RunSQL(
            [*OPEN, FILL, "SET CONSTRAINTS ALL IMMEDIATE", *CLOSE], reverse_sql=migrations.RunSQL.noop
        ),
        migrations.RemoveConstraint(
            model_name='memoryunit',
            name='unit_said_once',
        ),
        migrations.AddConstraint(
            model_name='memoryunit',
            constraint=models.UniqueConstraint(condition=models.Q(('expired_at', None)), fields=('bank', 'network', 'content_hash', 'tags_hash'), name='unit_told_once'),
        ),
    ]
