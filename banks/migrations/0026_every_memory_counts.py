from django.db import migrations

# Quotas count every memory. Before, opinions and observations were free, also those that a caller stored or imported.
FACTS = "network IN ('world', 'experience')"
COLUMNS = "(id, tenant_id, day, memories, stored_bytes, transaction)"
TODAY = "(now() AT TIME ZONE 'utc')::date"
# The owner's way past its own wall, for as long as this transaction lasts. No other writer is in between.
TABLES = ("banks_memoryunit", "tenants_storagechange")
OPEN = [f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in TABLES]
CLOSE = [f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in TABLES]


def count_units(condition, changed):
    """The triggers of 0022 with another condition."""
    return [
        f"""
        CREATE OR REPLACE FUNCTION banks_memoryunit_storage() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
        BEGIN
            INSERT INTO tenants_storagechange {COLUMNS}
            SELECT gen_random_uuid(), tenant_id, {TODAY}, count(*) * sign, sum(octet_length(text)) * sign,
                   pg_current_xact_id()::text::bigint
            FROM changed WHERE {condition} GROUP BY tenant_id;
            RETURN NULL;
        END
        $$
        """,
        "DROP TRIGGER storage_update ON banks_memoryunit",
        f"""
        CREATE TRIGGER storage_update AFTER UPDATE OF text ON banks_memoryunit FOR EACH ROW
        WHEN (OLD.text IS DISTINCT FROM NEW.text AND {changed}) EXECUTE FUNCTION banks_memoryunit_text_storage()
        """,
    ]


def add_derived(sign):
    return [
        *OPEN,
        f"""
        INSERT INTO tenants_storagechange {COLUMNS}
        SELECT gen_random_uuid(), tenant_id, {TODAY}, count(*) * {sign}, sum(octet_length(text)) * {sign}, 0
        FROM banks_memoryunit WHERE NOT {FACTS} GROUP BY tenant_id
        """,
        "SET CONSTRAINTS ALL IMMEDIATE",
        *CLOSE,
    ]


class Migration(migrations.Migration):
    dependencies = [("banks", "0025_two_columns_of_vectors")]

    operations = [
        migrations.RunSQL(add_derived(1), reverse_sql=add_derived(-1)),
        migrations.RunSQL(count_units("true", "true"), reverse_sql=count_units(FACTS, f"NEW.{FACTS}")),
    ]
