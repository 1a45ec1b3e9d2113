-- The service may not delete from its ledgers, so the owner erases. The function refuses a tenant whose grace is not
-- over. Row-level security is forced on the owner: it reaches the rows of the transaction's tenant only. A table that
-- is added later is erased too.
CREATE FUNCTION erase_tenant(wanted uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    held record;
BEGIN
    PERFORM 1 FROM tenants_tenant WHERE id = wanted AND deletion_due_at <= now() FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'The tenant is not due for erasure.';
    END IF;
    FOR held IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attname = 'tenant_id'
        ORDER BY c.relname = 'tenants_storagechange'  -- triggers of the others write there
    LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', held.relname) USING wanted;
    END LOOP;
    DELETE FROM tenants_tenant WHERE id = wanted;
END
$$;

REVOKE ALL ON FUNCTION erase_tenant FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_tenant TO memoryplatform_service;
