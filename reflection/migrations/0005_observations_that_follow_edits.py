from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reflection", "0004_evidence_of_revisions"),
    ]

    operations = [
        migrations.AddField(
            model_name="observedentity",
            name="altered_at",
            field=models.DateTimeField(
                help_text="When a fact was last edited, closed or deleted, where no refresh has seen that yet.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="observedentity",
            name="refused_since",
            field=models.DateTimeField(help_text="Since when no observer could make anything of it.", null=True),
        ),
    ]
