from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("banks", "0019_what_was_said_of_a_conversation")]

    operations = [
        migrations.AddField(
            "memoryunit",
            "speaker",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Who said the text; empty if nobody did.",
                max_length=200,
            ),
        ),
        migrations.AddField(
            "memoryunit",
            "role",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The speaker's role: user, assistant or tool.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            "memoryunit",
            "search_text",
            models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Read by the indexes in place of the rendered text; never shown.",
            ),
        ),
        migrations.AlterField(
            "memoryunit",
            "text",
            models.TextField(help_text="The words as they were said, or as a model wrote them."),
        ),
        migrations.AlterField(
            "memoryunit",
            "content_hash",
            models.BinaryField(help_text="Of the rendered text without case and final full stop.", max_length=16),
        ),
    ]
