from django.db import migrations, models
from django.db.models import Q


# The owner's way past its own wall, for as long as this transaction lasts.
RENAME_ACTION = [
    "ALTER TABLE banks_unitchange NO FORCE ROW LEVEL SECURITY",
    "UPDATE banks_unitchange SET action = 'scheduled' WHERE action = 'announced'",
    "SET CONSTRAINTS ALL IMMEDIATE",
    "ALTER TABLE banks_unitchange FORCE ROW LEVEL SECURITY",
]


class Migration(migrations.Migration):
    dependencies = [("banks", "0020_speakers_and_search_texts")]

    operations = [
        migrations.RemoveIndex("memoryunit", "unit_announced"),
        migrations.RemoveIndex("relationship", "relationship_announced"),
        migrations.RemoveField("memoryunit", "announced_at"),
        migrations.RemoveField("relationship", "announced_at"),
        migrations.AddField(
            "relationshipsource", "is_whole_unit", models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddIndex(
            "memoryunit",
            models.Index(
                condition=Q(valid_until__isnull=False, expired_at=None),
                fields=["bank", "valid_until"],
                name="unit_with_scheduled_end",
            ),
        ),
        migrations.AddIndex(
            "relationship",
            models.Index(
                condition=Q(valid_until__isnull=False, expired_at=None),
                fields=["bank", "valid_until"],
                name="relation_with_scheduled_end",
            ),
        ),
        migrations.AlterField(
            "unitchange",
            "action",
            models.CharField(
                choices=[
                    ("edited", "Edited"),
                    ("merged", "Merged"),
                    ("invalidated", "Invalidated"),
                    ("superseded", "Superseded"),
                    ("scheduled", "Scheduled"),
                    ("restored", "Restored"),
                ],
                max_length=12,
            ),
        ),
        migrations.RunSQL(RENAME_ACTION, reverse_sql=migrations.RunSQL.noop),
    ]
