from django.db import migrations, models

import tenants.sealed_text


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0004_webhooks"),
    ]

    operations = [
        migrations.AlterField(
            model_name="webhook",
            name="secret",
            field=tenants.sealed_text.SealedTextField(help_text="Signs what is sent, so it can't be kept as a digest."),
        ),
        migrations.AddField(
            model_name="delivery",
            name="told",
            field=models.PositiveIntegerField(default=0, help_text="How many of its messages have arrived."),
        ),
    ]
