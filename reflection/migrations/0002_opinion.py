from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0010_opinions_move_and_memories_fade'),
        ('reflection', '0001_beliefs'),
    ]

    operations = [
        migrations.CreateModel(
            name='Opinion',
            fields=[
            ],
            options={
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('banks.memoryunit',),
        ),
    ]
