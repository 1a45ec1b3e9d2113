"""The rights that every route of the API needs. tests/accounts/test_permissions.py walks it.

A line has the methods and the address of a route. Routes that Hindsight's client finds under `v1/default/` and that
are ours have one line. Addresses that answer every caller with "not served" have none.
"""

# Scopes of an API key or a connected app. The session of a person reaches none of these routes.
BY_SCOPES = {
    "read": """
        GET v1/default/banks/<str:bank_id>/profile
        POST v1/default/banks/<str:bank_id>/prompts/preview
        GET v1/default/banks/<str:bank_id>/observations/scopes
        GET v1/default/chunks/<uuid:chunk_id>
        GET v1/default/banks/<str:bank_id>/operations
        GET v1/default/banks/<str:bank_id>/operations/<str:operation_id>
        GET v1/default/banks/<str:bank_id>/documents/<path:document_id>/history
        GET v1/default/banks/<str:bank_id>/mental-models/<str:model_id>/history
        GET v1/default/banks/<str:bank_id>/aliases
        GET v1/default/banks/<str:bank_id>/knowledge-base/tree
        GET v1/default/banks/<str:bank_id>/knowledge-base/search
        GET v1/default/banks/<str:bank_id>/knowledge-base/export
        GET v1/default/banks/<str:bank_id>/knowledge-base/pages/<str:page_id>
        GET v1/default/banks/<str:bank_id>/webhooks/<uuid:webhook_id>/deliveries
        GET v1/default/files/download/<path:key>
        GET v1/banks
        GET v1/banks/<str:bank_id>
        GET v1/banks/<str:bank_id>/config
        GET v1/banks/<str:bank_id>/embedding-model
        GET v1/banks/<str:bank_id>/stats
        GET v1/banks/<str:bank_id>/stats/memories-timeseries
        GET v1/banks/<str:bank_id>/tags
        GET v1/banks/<str:bank_id>/graph
        GET v1/banks/<str:bank_id>/background
        GET v1/banks/<str:bank_id>/background/revisions
        GET v1/banks/<str:bank_id>/memories
        GET v1/banks/<str:bank_id>/memories/list
        POST v1/banks/<str:bank_id>/memories/recall
        GET v1/banks/<str:bank_id>/memories/<uuid:memory_id>
        GET v1/banks/<str:bank_id>/memories/<uuid:memory_id>/history
        GET v1/banks/<str:bank_id>/messages
        GET v1/banks/<str:bank_id>/messages/<uuid:message_id>
        GET v1/banks/<str:bank_id>/episodes
        GET v1/banks/<str:bank_id>/episodes/<uuid:episode_id>
        GET v1/banks/<str:bank_id>/documents
        GET v1/banks/<str:bank_id>/documents/<path:document_id>/chunks
        GET v1/banks/<str:bank_id>/documents/<path:document_id>
        GET v1/banks/<str:bank_id>/chunks/<uuid:chunk_id>
        GET v1/banks/<str:bank_id>/entities
        GET v1/banks/<str:bank_id>/entities/graph
        GET v1/banks/<str:bank_id>/entities/<uuid:entity_id>
        GET v1/banks/<str:bank_id>/opinions
        GET v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>
        GET v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>/revisions
        GET v1/banks/<str:bank_id>/relationships
        GET v1/banks/<str:bank_id>/observations
        GET v1/banks/<str:bank_id>/retention-rules
        GET v1/banks/<str:bank_id>/retention-rules/<uuid:rule_id>
        GET v1/banks/<str:bank_id>/directives
        GET v1/banks/<str:bank_id>/directives/<uuid:directive_id>
        GET v1/banks/<str:bank_id>/mental-models
        GET v1/banks/<str:bank_id>/mental-models/<str:model_id>
        GET v1/banks/<str:bank_id>/mental-models/<str:model_id>/revisions
        GET v1/banks/<str:bank_id>/recalls
        GET v1/banks/<str:bank_id>/recalls/<uuid:recall_id>
        GET v1/banks/<str:bank_id>/feedback
        POST v1/recall
        GET v1/models
        GET v1/models/<path:model>
        GET v1/banks/<str:bank_id>/models
        GET v1/banks/<str:bank_id>/models/<path:model>
        GET v1/operations
        GET v1/operations/<uuid:operation_id>
        GET v1/banks/<str:bank_id>/export
        GET v1/webhooks/<uuid:webhook_id>/deliveries
        GET v1/ping/
        GET v1/memories/
        POST v2/memories/
        POST v3/memories/
        POST v1/memories/search/
        POST v2/memories/search/
        POST v3/memories/search/
        GET v1/memories/<str:memory_id>/
        GET v1/memories/<str:memory_id>/history/
        GET v1/entities/
        GET v1/entities/<str:kind>/<path:name>/
        GET v2/entities/<str:kind>/<path:name>/
        GET v1/events/
        GET v1/event/<str:event_id>/
        POST v1/exports/get/
        GET api/v1/orgs/organizations/<str:org_id>/projects/<str:project_id>/
        GET v2/entities/<str:kind>/<path:name>/profile/
        GET v2/profiles/jobs/<uuid:job_id>/
        GET v2/profiles/settings/
        GET v1/stats/
        POST v1/summary/
    """,
    "write": """
        PUT v1/default/banks/<str:bank_id>/profile
        DELETE v1/default/banks/<str:bank_id>/memories/<uuid:memory_id>/observations
        POST v1/default/banks/<str:bank_id>/documents/<path:document_id>/reprocess
        POST v1/default/banks/<str:bank_id>/aliases
        PATCH v1/default/banks/<str:bank_id>/aliases/<str:alias>
        DELETE v1/default/banks/<str:bank_id>/aliases/<str:alias>
        POST v1/default/banks/<str:bank_id>/knowledge-base/folders
        POST v1/default/banks/<str:bank_id>/knowledge-base/pages
        PATCH v1/default/banks/<str:bank_id>/knowledge-base/nodes/<str:node_id>
        DELETE v1/default/banks/<str:bank_id>/knowledge-base/nodes/<str:node_id>
        POST v1/default/banks/<str:bank_id>/files/retain
        POST v1/default/banks/<str:bank_id>/consolidation/recover
        POST v1/default/banks/<str:bank_id>/consolidate
        DELETE v1/default/banks/<str:bank_id>/operations/<str:operation_id>
        POST v1/default/banks/<str:bank_id>/operations/<str:operation_id>/retry
        DELETE v1/default/banks/<str:bank_id>/operations/<str:operation_id>/delete
        POST v1/default/banks/<str:bank_id>/transfer/export
        POST v1/default/banks/<str:bank_id>/transfer/import
        POST v1/default/banks/<str:bank_id>/document-transfer
        POST v1/default/banks/<str:bank_id>/document-transfer/export
        POST v1/default/banks/<str:bank_id>/clone
        POST v1/banks
        PATCH DELETE v1/banks/<str:bank_id>
        PATCH DELETE v1/banks/<str:bank_id>/config
        POST DELETE v1/banks/<str:bank_id>/memories
        DELETE v1/banks/<str:bank_id>/memories/<uuid:memory_id>
        DELETE v1/banks/<str:bank_id>/documents/<path:document_id>
        POST v1/banks/<str:bank_id>/observations/refresh
        POST v1/banks/<str:bank_id>/retention-rules
        DELETE v1/banks/<str:bank_id>/retention-rules/<uuid:rule_id>
        POST v1/banks/<str:bank_id>/directives
        DELETE v1/banks/<str:bank_id>/directives/<uuid:directive_id>
        POST v1/banks/<str:bank_id>/mental-models
        DELETE v1/banks/<str:bank_id>/mental-models/<str:model_id>
        POST v1/banks/<str:bank_id>/mental-models/<str:model_id>/refresh
        DELETE v1/banks/<str:bank_id>/quarantine/<uuid:item_id>
        POST v1/banks/<str:bank_id>/quarantine/<uuid:item_id>/release
        POST v1/banks/<str:bank_id>/tend
        POST v1/banks/<str:bank_id>/feedback
        POST v1/operations/<uuid:operation_id>/cancel
        POST v1/operations/<uuid:operation_id>/retry
        POST v1/banks/<str:bank_id>/import
        POST DELETE v1/memories/
        POST v3/memories/add/
        DELETE v1/memories/<str:memory_id>/
        PUT DELETE v1/batch/
        DELETE v1/entities/<str:kind>/<path:name>/
        DELETE v2/entities/<str:kind>/<path:name>/
        POST v1/exports/
        POST v1/feedback/
        PATCH DELETE api/v1/orgs/organizations/<str:org_id>/projects/<str:project_id>/
        POST v2/profiles/jobs/
        POST v2/profiles/settings/
    """,
    "read write": """
        POST v1/default/banks/<str:bank_id>/memories/dry-run-extract
        POST v1/banks/<str:bank_id>/background
        PATCH v1/banks/<str:bank_id>/memories/<uuid:memory_id>
        POST v1/banks/<str:bank_id>/memories/<uuid:memory_id>/invalidate
        POST v1/banks/<str:bank_id>/memories/<uuid:memory_id>/restore
        PATCH v1/banks/<str:bank_id>/entities/<uuid:entity_id>
        POST v1/banks/<str:bank_id>/entities/<uuid:entity_id>/merge
        POST v1/banks/<str:bank_id>/entities/<uuid:entity_id>/split
        POST v1/banks/<str:bank_id>/opinions/<uuid:opinion_id>/review
        PATCH v1/banks/<str:bank_id>/retention-rules/<uuid:rule_id>
        PATCH v1/banks/<str:bank_id>/directives/<uuid:directive_id>
        PATCH v1/banks/<str:bank_id>/mental-models/<str:model_id>
        POST v1/banks/<str:bank_id>/mental-models/<str:model_id>/clear
        GET v1/banks/<str:bank_id>/quarantine
        POST v1/banks/<str:bank_id>/reflect
        POST v1/chat/completions
        POST v1/banks/<str:bank_id>/chat/completions
        PUT v1/memories/<str:memory_id>/
    """,
    "admin": """
        POST DELETE v1/banks/<str:bank_id>/embedding-model
        POST v1/banks/<str:bank_id>/embedding-model/finish
        POST v1/banks/<str:bank_id>/embedding-model/rollback
        POST v1/banks/<str:bank_id>/embedding-model/switch
        GET v1/default/banks/<str:bank_id>/llm-requests
        GET v1/default/banks/<str:bank_id>/llm-requests/stats
        GET v1/default/banks/<str:bank_id>/audit-logs
        GET v1/default/banks/<str:bank_id>/audit-logs/stats
        GET v1/default/banks/<str:bank_id>/audit-logs/<uuid:log_id>
        GET POST v1/default/banks/<str:bank_id>/webhooks
        PATCH DELETE v1/default/banks/<str:bank_id>/webhooks/<uuid:webhook_id>
        GET v1/audit-events
        GET v1/audit-events/csv
        GET v1/banks/<str:bank_id>/audit-events
        GET POST v1/webhooks
        GET PATCH DELETE v1/webhooks/<uuid:webhook_id>
        POST v1/webhooks/<uuid:webhook_id>/secret
        POST v1/webhooks/<uuid:webhook_id>/ping
        POST v1/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/redeliver
        GET POST api/v1/webhooks/projects/<str:project_id>/
        PUT DELETE api/v1/webhooks/<uuid:webhook_id>/
        GET POST PUT DELETE api/v1/orgs/organizations/<str:org_id>/projects/<str:project_id>/members/
    """,
}

# Routes that a session reaches too, by the callers that may: keys by their scope, an app, and people by their role.
BY_CALLER = {
    "key:read key:admin app viewer member admin owner": """
        GET v1/account
        GET v1/account/usage
        GET v1/account/plan
        GET v1/account/apps
        GET v1/erasures
        GET v1/erasures/<uuid:erasure_id>
    """,
    "key:admin viewer member admin owner": """
        GET v1/account/members
    """,
    "key:admin app member admin owner": """
        POST v1/erasures
    """,
    "key:admin admin owner": """
        PATCH v1/account
        GET v1/account/export
        PATCH v1/account/members/<uuid:user_id>
        DELETE v1/account/members/<uuid:user_id>
        GET POST v1/account/invitations
        DELETE v1/account/invitations/<uuid:invitation_id>
        GET POST v1/account/keys
        DELETE v1/account/keys/<uuid:key_id>
        POST v1/account/keys/<uuid:key_id>/rotate
        GET PUT DELETE v1/account/llm
        GET v1/account/llms
        GET PUT v1/account/llm-log
        GET v1/account/llm-requests
        GET v1/account/llm-requests/<uuid:llm_request_id>
        PUT DELETE v1/banks/<str:bank_id>/legal-hold
    """,
    # Their own apps; a random id is a 404.
    "key:read key:admin viewer member admin owner": """
        DELETE v1/account/apps/<uuid:app_id>
    """,
    "owner": """
        DELETE v1/account
        GET DELETE v1/account/deletion
    """,
}

# Pages outside the dashboard. `open`: for anyone. `person`: for a signed-in person, whose own things it shows.
# `guest`: for people who are not signed in; others are led on. `staff`: the admin.
BY_PAGE = {
    "open": """
        accounts/inactive/
        accounts/confirm-email/
        accounts/confirm-email/x/
        accounts/password/reset/
        accounts/password/reset/done/
        accounts/password/reset/key/done/
        accounts/password/reset/key/x-y/
        accounts/3rdparty/login/cancelled/
        accounts/3rdparty/login/error/
        accounts/social/login/cancelled/
        accounts/social/login/error/
        accounts/social/signup/
        accounts/social/connections/
        accounts/google/login/
        accounts/google/login/callback/
        accounts/google/login/token/
        accounts/github/login/
        accounts/github/login/callback/
        v1/version
        openapi.json
        redoc
        v1/bank-template-schema
        v1/openapi.json
        v1/docs
        v1/redoc
        docs
        docs/
        docs/search/
        docs/api/
        docs/api/reference/
        docs/api/x/
        docs/x/
        version
        health
        health/live
        health/ready
        metrics
        .well-known/oauth-authorization-server
        .well-known/openid-configuration
        .well-known/oauth-protected-resource
        .well-known/oauth-protected-resource/mcp
        .well-known/oauth-protected-resource/mcp/<str:bank_id>
        .well-known/jwks.json
        oauth/token
        oauth/revoke
        oauth/register
    """,
    "guest": """
        accounts/login/
        accounts/signup/
        accounts/login/code/confirm/
        accounts/2fa/authenticate/
        accounts/2fa/webauthn/login/
        accounts/3rdparty/signup/
    """,
    "person": """
        accounts/logout/
        accounts/reauthenticate/
        accounts/email/
        accounts/password/change/
        accounts/password/set/
        accounts/2fa/
        accounts/2fa/reauthenticate/
        accounts/2fa/totp/activate/
        accounts/2fa/totp/deactivate/
        accounts/2fa/recovery-codes/
        accounts/2fa/recovery-codes/generate/
        accounts/2fa/recovery-codes/download/
        accounts/2fa/webauthn/
        accounts/2fa/webauthn/add/
        accounts/2fa/webauthn/reauthenticate/
        accounts/2fa/webauthn/keys/<int:pk>/remove/
        accounts/2fa/webauthn/keys/<int:pk>/edit/
        accounts/3rdparty/
        accounts/sessions/
        oauth/authorize
    """,
}


def read_lines(block: str) -> list[tuple[str, str]]:
    """(method, route) of each line."""
    lines = [line.split() for line in block.split("\n") if line.strip()]
    return [(method, line[-1]) for line in lines for method in line[:-1] or ["GET"]]
