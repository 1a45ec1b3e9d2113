-- The limits of a tenant: those of its assignment, else those of its plan, which may be the default one.
CREATE FUNCTION limits_of_tenant(wanted uuid)
RETURNS TABLE (
    plan varchar, requests_per_minute integer, memories bigint, banks bigint, stored_bytes bigint,
    llm_tokens_per_month bigint, members bigint
)
LANGUAGE sql STABLE AS $$
    SELECT p.name, coalesce(a.requests_per_minute, p.requests_per_minute), coalesce(a.memories, p.memories),
           coalesce(a.banks, p.banks), coalesce(a.stored_bytes, p.stored_bytes),
           coalesce(a.llm_tokens_per_month, p.llm_tokens_per_month), coalesce(a.members, p.members)
    FROM (SELECT) AS one
    LEFT JOIN tenants_planassignment a ON a.tenant_id = wanted
    JOIN tenants_plan p ON p.id = a.plan_id OR (a.plan_id IS NULL AND p.is_default)
$$;

-- The service reads quota, limit and use from the detail of the error.
CREATE FUNCTION refuse_over_quota(quota text, allowed bigint, used bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The quota % is reached.', quota USING ERRCODE = 'check_violation', CONSTRAINT = 'quota_exceeded',
        DETAIL = json_build_object('quota', quota, 'limit', allowed, 'used', used)::text;
END
$$;

-- Replaces the changes of each day by their sum.
CREATE FUNCTION add_up_storage_changes(wanted uuid) RETURNS void LANGUAGE sql AS $$
    WITH gone AS (
        DELETE FROM tenants_storagechange WHERE tenant_id = wanted RETURNING day, memories, stored_bytes
    )
    INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
    SELECT gen_random_uuid(), wanted, day, sum(memories), sum(stored_bytes), 0 FROM gone GROUP BY day
$$;

-- Deferred to the commit: the lock is held for a moment only, and no transaction waits for another lock behind it. A
-- transaction that adds nothing on balance passes, also above the limit.
CREATE FUNCTION check_storage_quota() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own CONSTANT bigint := pg_current_xact_id()::text::bigint;
    allowed record;
    used record;
BEGIN
    SELECT memories, stored_bytes INTO allowed FROM limits_of_tenant(NEW.tenant_id);
    IF allowed.memories IS NULL AND allowed.stored_bytes IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('storage:' || NEW.tenant_id, 0));
    SELECT count(*) AS changes, sum(memories) AS memories, sum(stored_bytes) AS stored_bytes,
           coalesce(sum(memories) FILTER (WHERE transaction = own), 0) AS new_memories,
           coalesce(sum(stored_bytes) FILTER (WHERE transaction = own), 0) AS new_bytes
    INTO used FROM tenants_storagechange WHERE tenant_id = NEW.tenant_id;
    IF used.new_memories > 0 AND used.memories > allowed.memories THEN
        PERFORM refuse_over_quota('memories', allowed.memories, (used.memories - used.new_memories)::bigint);
    ELSIF used.new_bytes > 0 AND used.stored_bytes > allowed.stored_bytes THEN
        PERFORM refuse_over_quota('stored_bytes', allowed.stored_bytes, (used.stored_bytes - used.new_bytes)::bigint);
    ELSIF used.changes > 500 THEN
        PERFORM add_up_storage_changes(NEW.tenant_id);
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER storage_quota AFTER INSERT ON tenants_storagechange DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.transaction <> 0 AND (NEW.memories > 0 OR NEW.stored_bytes > 0))
EXECUTE FUNCTION check_storage_quota();

-- Tenants without an assignment are on this plan.
INSERT INTO tenants_plan (id, name, is_default) VALUES (gen_random_uuid(), 'Unlimited', true);
