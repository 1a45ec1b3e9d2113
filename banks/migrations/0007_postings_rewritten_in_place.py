from django.db import migrations


class Migration(migrations.Migration):
    """A block of the text index is rewritten for every batch that holds its word.

    With room on the page the new version stands beside the old one, no index entry is written, and the next visitor
    clears the old one away; without it the table grows until a vacuum comes.
    """

    dependencies = [("banks", "0006_fewer_keys_and_closed_units_by_words")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE banks_postingblock SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)",
            reverse_sql="ALTER TABLE banks_postingblock RESET (fillfactor, autovacuum_vacuum_scale_factor)",
        ),
    ]
