-- Ledgers are append-only: no process that serves requests can rewrite an event, a bill or the proof of an erasure.
REVOKE UPDATE, DELETE ON tenants_auditevent, tenants_usagerecord, tenants_tenanterasure
FROM memoryplatform_service, memoryplatform_platform;

-- Only staff change plans and assignments: no process that serves requests can raise a limit.
REVOKE INSERT, UPDATE, DELETE ON tenants_plan FROM memoryplatform_service;
REVOKE UPDATE, DELETE ON tenants_planassignment FROM memoryplatform_service;
REVOKE UPDATE ON tenants_storagechange, tenants_quotanotice FROM memoryplatform_service;
