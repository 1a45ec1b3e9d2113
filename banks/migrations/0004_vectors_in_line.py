from django.db import migrations

TABLES = ("banks_memoryunit", "banks_chunk", "banks_episode", "banks_relationship")


def set_storage(table: str, storage: str) -> str:
    return f"ALTER TABLE {table} ALTER COLUMN embedding SET STORAGE {storage}"


class Migration(migrations.Migration):
    dependencies = [("banks", "0003_text_index_and_history")]

    # A scan reads the vector of every row and hardly another column. pgvector's own choice moves it into the side
    # table as soon as a row is over 2 KB, which a fact of three sentences is, and each look costs another look-up.
    operations = [
        migrations.RunSQL(
            [set_storage(table, "MAIN") for table in TABLES],
            reverse_sql=[set_storage(table, "EXTERNAL") for table in TABLES],
        ),
        migrations.RunSQL(
            [f"ALTER TABLE {table} SET (toast_tuple_target = 4080)" for table in TABLES],
            reverse_sql=[f"ALTER TABLE {table} RESET (toast_tuple_target)" for table in TABLES],
        ),
    ]
