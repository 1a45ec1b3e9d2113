from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0001_recall_log"),
    ]

    operations = [
        migrations.AddField(
            model_name="recallrecord",
            name="purpose",
            field=models.CharField(
                choices=[("recall", "Recall"), ("reflect", "Reflect")], default="recall", max_length=10
            ),
        ),
    ]
