-- The ledger of storage: triggers add a row for each statement, in the statement's own transaction. Messages and
-- documents count by their bytes. Memories count by their bytes and their number.

CREATE FUNCTION banks_message_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    SELECT gen_random_uuid(), tenant_id, (now() AT TIME ZONE 'utc')::date, 0,
           sum(octet_length(content)) * sign, pg_current_xact_id()::text::bigint
    FROM changed GROUP BY tenant_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION banks_message_text_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    VALUES (gen_random_uuid(), NEW.tenant_id, (now() AT TIME ZONE 'utc')::date, 0,
            octet_length(NEW.content) - octet_length(OLD.content), pg_current_xact_id()::text::bigint);
    RETURN NULL;
END
$$;

CREATE TRIGGER storage_insert AFTER INSERT ON banks_message REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION banks_message_storage();
CREATE TRIGGER storage_delete AFTER DELETE ON banks_message REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION banks_message_storage();
CREATE TRIGGER storage_update AFTER UPDATE OF content ON banks_message
FOR EACH ROW WHEN (OLD.content IS DISTINCT FROM NEW.content) EXECUTE FUNCTION banks_message_text_storage();

CREATE FUNCTION banks_document_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    SELECT gen_random_uuid(), tenant_id, (now() AT TIME ZONE 'utc')::date, 0,
           sum(octet_length(text)) * sign, pg_current_xact_id()::text::bigint
    FROM changed GROUP BY tenant_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION banks_document_text_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    VALUES (gen_random_uuid(), NEW.tenant_id, (now() AT TIME ZONE 'utc')::date, 0,
            octet_length(NEW.text) - octet_length(OLD.text), pg_current_xact_id()::text::bigint);
    RETURN NULL;
END
$$;

CREATE TRIGGER storage_insert AFTER INSERT ON banks_document REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION banks_document_storage();
CREATE TRIGGER storage_delete AFTER DELETE ON banks_document REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION banks_document_storage();
CREATE TRIGGER storage_update AFTER UPDATE OF text ON banks_document
FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION banks_document_text_storage();

CREATE FUNCTION banks_memoryunit_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    SELECT gen_random_uuid(), tenant_id, (now() AT TIME ZONE 'utc')::date, count(*) * sign,
           sum(octet_length(text)) * sign, pg_current_xact_id()::text::bigint
    FROM changed GROUP BY tenant_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION banks_memoryunit_text_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    VALUES (gen_random_uuid(), NEW.tenant_id, (now() AT TIME ZONE 'utc')::date, 0,
            octet_length(NEW.text) - octet_length(OLD.text), pg_current_xact_id()::text::bigint);
    RETURN NULL;
END
$$;

CREATE TRIGGER storage_insert AFTER INSERT ON banks_memoryunit REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION banks_memoryunit_storage();
CREATE TRIGGER storage_delete AFTER DELETE ON banks_memoryunit REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION banks_memoryunit_storage();
CREATE TRIGGER storage_update AFTER UPDATE OF text ON banks_memoryunit
FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION banks_memoryunit_text_storage();
