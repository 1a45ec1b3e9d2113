from django.db import migrations, models

# Nothing points at a row of these, so nothing needs their key of tenant and id: the wall is made of the policies and of
# the keys that these tables point at. Most memories add a dozen such rows, and each entry weighs as much as its row.
LEAVES = (
    "banks_chunkpart",
    "banks_cooccurrence",
    "banks_corpusstatistics",
    "banks_entitykey",
    "banks_entityname",
    "banks_link",
    "banks_mention",
    "banks_postingblock",
    "banks_relationshipsource",
    "banks_unitchange",
    "banks_unitmetadata",
    "banks_unitsource",
    "banks_unittag",
)


class Migration(migrations.Migration):
    dependencies = [("banks", "0005_units_in_the_order_of_time")]

    operations = [
        migrations.RunSQL(
            [f"ALTER TABLE {table} DROP CONSTRAINT {table}_tenant_key" for table in LEAVES],
            reverse_sql=[
                f"ALTER TABLE {table} ADD CONSTRAINT {table}_tenant_key UNIQUE (tenant_id, id)" for table in LEAVES
            ],
        ),
        migrations.AddIndex(
            model_name="memoryunit",
            index=models.Index(
                fields=["bank", "content_hash"],
                condition=models.Q(expired_at__isnull=False),
                name="unit_closed_by_words",
            ),
        ),
    ]
