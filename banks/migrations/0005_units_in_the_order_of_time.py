from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("banks", "0004_vectors_in_line")]

    # A unit's neighbours in time are the rows beside it in this index, before and after, without a sort.
    operations = [
        migrations.AddIndex(
            model_name="memoryunit",
            index=models.Index(
                models.F("bank"),
                models.Case(models.When(occurred_start=None, then="mentioned_at"), default="occurred_start"),
                models.F("id"),
                name="unit_by_time",
            ),
        ),
    ]
