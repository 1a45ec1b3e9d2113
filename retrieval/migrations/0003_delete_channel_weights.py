from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0002_purpose_of_recalls"),
    ]

    operations = [
        migrations.DeleteModel(name="ChannelWeights"),
    ]
