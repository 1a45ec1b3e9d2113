import pgvector.django.vector
from django.db import migrations, models

TABLES = ("banks_memoryunit", "banks_chunk", "banks_episode", "banks_relationship")

# The lock of a bank's memory, or of a thread, and the check that the vectors of a writer are of the model whose column
# they go to: they were made before the lock was taken, and the bank may have changed its model since. Returns the state
# of a change, or null if they are of another model. Each statement of the function sees the rows of its own time.
LOCK = """
CREATE FUNCTION lock_vectors(lock_name text, wanted uuid, slot smallint, model text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    state text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(lock_name, 0));
    SELECT CASE
        WHEN vector_slot = slot AND embedding_model = model THEN vector_change
        WHEN vector_slot <> slot AND other_embedding_model = model AND vector_change <> 'clearing' THEN vector_change
    END INTO state FROM banks_bank WHERE id = wanted;
    RETURN CASE WHEN FOUND THEN state ELSE '' END;
END
$$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('banks', '0024_protection'),
        ('tenants', '0012_own_llm'),
    ]

    operations = [
        migrations.AddField(
            model_name='bank',
            name='other_embedding_model',
            field=models.CharField(blank=True, db_default='', default='', help_text='The model of the vectors in the other column: the next or the former one.', max_length=200),
        ),
        migrations.AddField(
            model_name='bank',
            name='vector_change',
            field=models.CharField(blank=True, choices=[('filling', 'Filling'), ('ready', 'Ready'), ('switched', 'Switched'), ('clearing', 'Clearing')], db_default='', default='', help_text='Empty: none under way.', max_length=10),
        ),
        migrations.AddField(
            model_name='bank',
            name='vector_slot',
            field=models.SmallIntegerField(db_default=0, default=0, help_text='The column of the vectors in use: 0 or 1. The other one is for a change.'),
        ),
        migrations.AddField(
            model_name='chunk',
            name='second_embedding',
            field=pgvector.django.vector.VectorField(null=True),
        ),
        migrations.AddField(
            model_name='entity',
            name='second_embedding',
            field=pgvector.django.vector.VectorField(null=True),
        ),
        migrations.AddField(
            model_name='episode',
            name='second_centroid',
            field=pgvector.django.vector.VectorField(help_text='The same in the second column of vectors.', null=True),
        ),
        migrations.AddField(
            model_name='episode',
            name='second_embedding',
            field=pgvector.django.vector.VectorField(null=True),
        ),
        migrations.AddField(
            model_name='memoryunit',
            name='second_embedding',
            field=pgvector.django.vector.VectorField(null=True),
        ),
        migrations.AddField(
            model_name='relationship',
            name='second_embedding',
            field=pgvector.django.vector.VectorField(null=True),
        ),
        migrations.AlterField(
            model_name='bank',
            name='embedding_model',
            field=models.CharField(help_text='The model of the vectors in use.', max_length=200),
        ),
        migrations.AddConstraint(
            model_name='bank',
            constraint=models.CheckConstraint(condition=models.Q(('vector_slot__in', [0, 1])), name='bank_vector_slot_known'),
        ),
        migrations.AddConstraint(
            model_name='bank',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('other_embedding_model', ''), ('vector_change', '')), models.Q(('vector_change__in', ['filling', 'ready', 'switched', 'clearing']), models.Q(('other_embedding_model', ''), _negated=True)), _connector='OR'), name='bank_vector_change_with_model'),
        ),
        # As the first column, see 0004.
        migrations.RunSQL(
            [f"ALTER TABLE {table} ALTER COLUMN second_embedding SET STORAGE MAIN" for table in TABLES],
            reverse_sql=[f"ALTER TABLE {table} ALTER COLUMN second_embedding SET STORAGE EXTERNAL" for table in TABLES],
        ),
        migrations.RunSQL(LOCK, reverse_sql="DROP FUNCTION lock_vectors(text, uuid, smallint, text)"),
    ]
