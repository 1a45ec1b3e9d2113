from django.db import migrations

# Table, column of its text, memories a row, rows that count.
COUNTED = (
    ("banks_message", "content", 0, "true"),
    ("banks_document", "text", 0, "true"),
    ("banks_memoryunit", "text", 1, "network IN ('world', 'experience')"),
)
COLUMNS = "(id, tenant_id, day, memories, stored_bytes, transaction)"
TODAY = "(now() AT TIME ZONE 'utc')::date"


def count_table(table, text, memories, condition):
    """A row in the ledger of storage for each statement, in the statement's own transaction."""
    amounts = f"count(*) * {memories} * sign, sum(octet_length({text})) * sign"
    yield f"""
    CREATE FUNCTION {table}_storage() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    BEGIN
        INSERT INTO tenants_storagechange {COLUMNS}
        SELECT gen_random_uuid(), tenant_id, {TODAY}, {amounts}, pg_current_xact_id()::text::bigint
        FROM changed WHERE {condition} GROUP BY tenant_id;
        RETURN NULL;
    END
    $$
    """
    for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD")):
        yield f"""
        CREATE TRIGGER storage_{event.lower()} AFTER {event} ON {table} REFERENCING {rows} TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION {table}_storage()
        """
    yield f"""
    CREATE FUNCTION {table}_text_storage() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO tenants_storagechange {COLUMNS}
        VALUES (gen_random_uuid(), NEW.tenant_id, {TODAY}, 0, octet_length(NEW.{text}) - octet_length(OLD.{text}),
                pg_current_xact_id()::text::bigint);
        RETURN NULL;
    END
    $$
    """
    changed = f"OLD.{text} IS DISTINCT FROM NEW.{text} AND {condition.replace('network', 'NEW.network')}"
    yield f"""
    CREATE TRIGGER storage_update AFTER UPDATE OF {text} ON {table} FOR EACH ROW WHEN ({changed})
    EXECUTE FUNCTION {table}_text_storage()
    """


def drop_counts(table):
    yield from (f"DROP TRIGGER storage_{event} ON {table}" for event in ("insert", "delete", "update"))
    yield from (f"DROP FUNCTION {table}_{name}" for name in ("storage", "text_storage"))


def fill(table, text, memories, condition):
    return f"""
    INSERT INTO tenants_storagechange {COLUMNS}
    SELECT gen_random_uuid(), tenant_id, {TODAY}, count(*) * {memories}, sum(octet_length({text})), 0
    FROM {table} WHERE {condition} GROUP BY tenant_id
    """


# The owner's way past its own wall, for as long as this transaction lasts.
TABLES = [table for table, *_ in COUNTED] + ["tenants_storagechange"]
OPEN = [f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in TABLES]
CLOSE = [statement.replace("NO FORCE", "FORCE") for statement in OPEN]

BANKS_QUOTA = [
    """
    CREATE FUNCTION check_banks_quota() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        allowed CONSTANT bigint := (SELECT banks FROM limits_of_tenant(NEW.tenant_id));
        used bigint;
    BEGIN
        IF allowed IS NULL THEN
            RETURN NULL;
        END IF;
        PERFORM pg_advisory_xact_lock(hashtextextended('banks:' || NEW.tenant_id, 0));
        SELECT count(*) INTO used FROM banks_bank WHERE tenant_id = NEW.tenant_id AND deleted_at IS NULL;
        IF used > allowed THEN
            PERFORM refuse_over_quota('banks', allowed, used - 1);
        END IF;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE CONSTRAINT TRIGGER banks_quota AFTER INSERT ON banks_bank DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION check_banks_quota()
    """,
]

# The use of every quota but the tokens, which the usage ledger has. An open invitation takes the place of a member.
USE_OF_TENANT = """
CREATE FUNCTION use_of_tenant(wanted uuid)
RETURNS TABLE (memories bigint, banks bigint, stored_bytes bigint, members bigint) LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(s.memories), 0)::bigint,
           (SELECT count(*) FROM banks_bank b WHERE b.tenant_id = wanted AND b.deleted_at IS NULL),
           coalesce(sum(s.stored_bytes), 0)::bigint,
           (SELECT count(*) FROM tenants_member m WHERE m.tenant_id = wanted)
           + (SELECT count(*) FROM tenants_invitation i WHERE i.tenant_id = wanted AND i.accepted_at IS NULL
              AND i.revoked_at IS NULL AND i.expires_at > now())
    FROM tenants_storagechange s WHERE s.tenant_id = wanted
$$
"""


class Migration(migrations.Migration):
    dependencies = [("banks", "0021_scheduled_ends"), ("tenants", "0008_plans_and_usage")]

    operations = [
        migrations.RunSQL(
            [*OPEN, *(fill(*one) for one in COUNTED), "SET CONSTRAINTS ALL IMMEDIATE", *CLOSE],
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.RunSQL(
            [statement for one in COUNTED for statement in count_table(*one)],
            reverse_sql=[statement for table, *_ in COUNTED for statement in drop_counts(table)],
        ),
        migrations.RunSQL(
            [*BANKS_QUOTA, USE_OF_TENANT],
            reverse_sql=[
                "DROP FUNCTION use_of_tenant",
                "DROP TRIGGER banks_quota ON banks_bank",
                "DROP FUNCTION check_banks_quota",
            ],
        ),
    ]
