-- Look-ups before the tenant of a request is known. Each function answers one question for the service. The owner, which
-- the functions run as, may read the rows of these tables only.
CREATE POLICY lookup_door ON tenants_tenant FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY lookup_door ON tenants_member FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY lookup_door ON tenants_apikey FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY lookup_door ON tenants_invitation FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY lookup_door ON tenants_connectedapp FOR SELECT TO CURRENT_USER USING (true);

-- A suspended tenant is refused, and so are the keys of a tenant that is to be erased. The service says so, but only to
-- a caller with a valid key or session. So the look-ups return such tenants too, with their `standing`.

CREATE FUNCTION api_key_by_prefix(wanted text)
RETURNS TABLE (
    id uuid, tenant_id uuid, digest bytea, scopes varchar[], banks varchar[], last_used_at timestamptz, standing varchar
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT k.id, k.tenant_id, k.digest, k.scopes, k.banks, k.last_used_at,
    CASE WHEN t.suspended_at IS NOT NULL THEN 'suspended' WHEN t.deletion_due_at IS NOT NULL THEN 'closing'
    ELSE '' END::varchar
    FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
    WHERE k.prefix = wanted AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
$$;

CREATE FUNCTION memberships_of_user(wanted uuid)
RETURNS TABLE (tenant_id uuid, slug varchar, name varchar, role varchar, standing varchar)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, t.slug, t.name, m.role,
    CASE WHEN t.suspended_at IS NOT NULL THEN 'suspended' WHEN t.deletion_due_at IS NOT NULL THEN 'closing'
    ELSE '' END::varchar
    FROM tenants_member m JOIN tenants_tenant t ON t.id = m.tenant_id
    WHERE m.user_id = wanted ORDER BY t.name, t.id
$$;

CREATE FUNCTION invitation_by_digest(wanted bytea)
RETURNS TABLE (id uuid, tenant_id uuid, tenant_name varchar, email varchar, role varchar)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT i.id, i.tenant_id, t.name, i.email, i.role
    FROM tenants_invitation i JOIN tenants_tenant t ON t.id = i.tenant_id
    WHERE i.digest = wanted AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
      AND t.suspended_at IS NULL
$$;

-- The token leads to a person and a client, and those lead to one open consent.
CREATE FUNCTION app_by_token(wanted text, kind text)
RETURNS TABLE (
    id uuid, tenant_id uuid, user_id uuid, role varchar, scopes text[], banks varchar[], last_used_at timestamptz,
    standing varchar
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id, a.tenant_id, a.user_id, m.role,
           ARRAY(SELECT unnest(a.scopes)::text INTERSECT SELECT unnest(string_to_array(k.scopes, E'\n'))),
           a.banks, a.last_used_at,
    CASE WHEN t.suspended_at IS NOT NULL THEN 'suspended' WHEN t.deletion_due_at IS NOT NULL THEN 'closing'
    ELSE '' END::varchar
    FROM allauth_idp_oidc_token k
    JOIN tenants_user u ON u.id = k.user_id AND u.is_active
    JOIN tenants_connectedapp a ON a.client_id = k.client_id AND a.user_id = k.user_id AND a.revoked_at IS NULL
    JOIN tenants_member m ON m.id = a.member_id AND m.tenant_id = a.tenant_id
    JOIN tenants_tenant t ON t.id = a.tenant_id
    WHERE k.hash = wanted AND k.type = kind AND (k.expires_at IS NULL OR k.expires_at > now())
$$;

REVOKE ALL ON FUNCTION api_key_by_prefix, memberships_of_user, invitation_by_digest, app_by_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api_key_by_prefix, memberships_of_user, invitation_by_digest, app_by_token
TO memoryplatform_service;
