-- The quota of banks, checked at the commit. The lock lets one transaction of a tenant count at a time.
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
$$;

CREATE CONSTRAINT TRIGGER banks_quota AFTER INSERT ON banks_bank DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION check_banks_quota();

-- The use of every quota but the tokens, which the usage ledger has. An open invitation takes the place of a member.
CREATE FUNCTION use_of_tenant(wanted uuid)
RETURNS TABLE (memories bigint, banks bigint, stored_bytes bigint, members bigint) LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(s.memories), 0)::bigint,
           (SELECT count(*) FROM banks_bank b WHERE b.tenant_id = wanted AND b.deleted_at IS NULL),
           coalesce(sum(s.stored_bytes), 0)::bigint,
           (SELECT count(*) FROM tenants_member m WHERE m.tenant_id = wanted)
           + (SELECT count(*) FROM tenants_invitation i WHERE i.tenant_id = wanted AND i.accepted_at IS NULL
              AND i.revoked_at IS NULL AND i.expires_at > now())
    FROM tenants_storagechange s WHERE s.tenant_id = wanted
$$;
