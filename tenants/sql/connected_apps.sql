-- The deletion of a client deletes its connections in the database, whoever deletes it.
ALTER TABLE tenants_connectedapp ADD CONSTRAINT tenants_connectedapp_client_fk
FOREIGN KEY (client_id) REFERENCES allauth_idp_oidc_client (id) ON DELETE CASCADE;
