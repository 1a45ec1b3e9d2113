/** The tenant: members, keys, usage, webhooks, erasures and the audit log. */
import { Resource } from "./resource.js";
import type { Answer, Body, CallOptions, Query } from "./types.js";

export class Account extends Resource {
  get(options?: CallOptions) {
    return this.call("get_account", [], options);
  }

  rename(body: Body<"rename_account">, options?: CallOptions) {
    return this.call("rename_account", [], { ...options, body });
  }

  previewDeletion(options?: CallOptions) {
    return this.call("preview_account_deletion", [], options);
  }

  delete(options?: CallOptions) {
    return this.call("delete_account", [], options);
  }

  cancelDeletion(options?: CallOptions) {
    return this.call("cancel_account_deletion", [], options);
  }

  members(options?: CallOptions) {
    return this.call("list_members", [], options);
  }

  changeRole(userId: string, body: Body<"change_member_role">, options?: CallOptions) {
    return this.call("change_member_role", [userId], { ...options, body });
  }

  removeMember(userId: string, options?: CallOptions) {
    return this.call("remove_member", [userId], options);
  }

  invitations(options?: CallOptions) {
    return this.call("list_invitations", [], options);
  }

  invite(body: Body<"invite_member">, options?: CallOptions) {
    return this.call("invite_member", [], { ...options, body });
  }

  revokeInvitation(invitationId: string, options?: CallOptions) {
    return this.call("revoke_invitation", [invitationId], options);
  }

  keys(options?: CallOptions) {
    return this.call("list_api_keys", [], options);
  }

  createKey(body: Body<"create_api_key">, options?: CallOptions) {
    return this.call("create_api_key", [], { ...options, body });
  }

  rotateKey(keyId: string, body: Body<"rotate_api_key"> = {}, options?: CallOptions) {
    return this.call("rotate_api_key", [keyId], { ...options, body });
  }

  revokeKey(keyId: string, options?: CallOptions) {
    return this.call("revoke_api_key", [keyId], options);
  }

  plan(options?: CallOptions) {
    return this.call("get_plan", [], options);
  }

  usage(query?: Query<"get_usage">, options?: CallOptions) {
    return this.call("get_usage", [], { ...options, query });
  }

  apps(options?: CallOptions) {
    return this.call("list_connected_apps", [], options);
  }

  disconnectApp(appId: string, options?: CallOptions) {
    return this.call("disconnect_app", [appId], options);
  }

  llms(options?: CallOptions) {
    return this.call("list_own_llms", [], options);
  }

  llm(query?: Query<"get_own_llm">, options?: CallOptions) {
    return this.call("get_own_llm", [], { ...options, query });
  }

  saveLlm(body: Body<"save_own_llm">, query?: Query<"save_own_llm">, options?: CallOptions) {
    return this.call("save_own_llm", [], { ...options, body, query });
  }

  deleteLlm(query?: Query<"delete_own_llm">, options?: CallOptions) {
    return this.call("delete_own_llm", [], { ...options, query });
  }

  llmLog(options?: CallOptions) {
    return this.call("get_llm_log", [], options);
  }

  changeLlmLog(body: Body<"change_llm_log">, options?: CallOptions) {
    return this.call("change_llm_log", [], { ...options, body });
  }

  llmRequests(query?: Query<"list_llm_requests">, options?: CallOptions) {
    return this.pages("list_llm_requests", [], query, options, "requests");
  }

  llmRequest(llmRequestId: string, options?: CallOptions) {
    return this.call("get_llm_request", [llmRequestId], options);
  }
}

export class Webhooks extends Resource {
  create(body: Body<"create_webhook">, options?: CallOptions) {
    return this.call("create_webhook", [], { ...options, body });
  }

  list(query?: Query<"list_webhooks">, options?: CallOptions) {
    return this.pages("list_webhooks", [], query, options, "webhooks");
  }

  get(webhookId: string, options?: CallOptions) {
    return this.call("get_webhook", [webhookId], options);
  }

  update(webhookId: string, body: Body<"change_webhook">, options?: CallOptions) {
    return this.call("change_webhook", [webhookId], { ...options, body });
  }

  delete(webhookId: string, options?: CallOptions) {
    return this.call("delete_webhook", [webhookId], options);
  }

  renewSecret(webhookId: string, options?: CallOptions) {
    return this.call("renew_webhook_secret", [webhookId], options);
  }

  ping(webhookId: string, options?: CallOptions) {
    return this.call("ping_webhook", [webhookId], options);
  }

  deliveries(webhookId: string, query?: Query<"list_webhook_deliveries">, options?: CallOptions) {
    return this.pages("list_webhook_deliveries", [webhookId], query, options, "deliveries");
  }

  redeliver(webhookId: string, deliveryId: string, options?: CallOptions) {
    return this.call("redeliver", [webhookId, deliveryId], options);
  }
}

export class Erasures extends Resource {
  /** With `dry_run` nothing is erased, and the answer counts what would be. */
  request(body: Body<"request_erasure">, options?: CallOptions) {
    return this.call("request_erasure", [], { ...options, body });
  }

  get(erasureId: string, options?: CallOptions) {
    return this.call("get_erasure", [erasureId], options);
  }

  list(query?: Query<"list_erasures">, options?: CallOptions) {
    return this.pages("list_erasures", [], query, options, "erasures");
  }

  holdBank(bankId: string, body: Body<"hold_bank">, options?: CallOptions) {
    return this.call("hold_bank", [bankId], { ...options, body });
  }

  releaseBank(bankId: string, options?: CallOptions) {
    return this.call("release_bank", [bankId], options);
  }
}

export class AuditEvents extends Resource {
  list(query?: Query<"list_audit_events">, options?: CallOptions) {
    return this.pages("list_audit_events", [], query, options, "events");
  }

  ofBank(bankId: string, query?: Query<"list_audit_events_of_bank">, options?: CallOptions) {
    return this.pages("list_audit_events_of_bank", [bankId], query, options, "events");
  }

  /** The events as CSV. */
  export(query?: Query<"export_audit_events">, options?: CallOptions) {
    return this.text("export_audit_events", [], query, options);
  }
}

const LARGEST_PART = 1_000_000; // UTF-16 units, at most 3 MB of UTF-8: well below the service's limit of a request

export class Transfer extends Resource {
  /** The bank as lines of JSON. */
  export(bankId: string, query?: Query<"export_bank">, options?: CallOptions) {
    return this.text("export_bank", [bankId], query, options);
  }

  /** The tenant as lines of JSON. */
  exportAccount(query?: Query<"export_account">, options?: CallOptions) {
    return this.text("export_account", [], query, options);
  }

  /** Sends some whole lines of a file. `load` sends a complete file. */
  importPart(bankId: string, lines: string, query?: Query<"import_bank">, options?: CallOptions) {
    const sent = { ...options, query: query as Record<string, unknown>, lines };
    return this.transport.call("import_bank", [bankId], sent) as Promise<Answer<"import_bank">>;
  }

  /**
   * Imports a complete file, such as the text of `export`, in as many requests as necessary. The header goes first: the
   * answer names the line to continue with, so an interrupted import resumes after the lines that arrived. An
   * operation then finishes the import: call `operations.wait` before you recall.
   */
  async load(bankId: string, file: string, options?: Omit<CallOptions, "idempotencyKey">): Promise<Answer<"import_bank">> {
    const lines = file.replace(/\r?\n$/, "").split(/\r?\n/);
    const header = lines.findIndex((line) => line.trim() !== "");
    if (header < 0) throw new RangeError("The file is empty.");
    const send = (start: number, end: number) =>
      this.importPart(bankId, lines.slice(start, end).join("\n") + "\n", { first_line: start + 1 }, options);
    let imported = await send(0, header + 1);
    if (imported.next_line === null) return imported;
    let start = Math.max(imported.next_line - 1, header + 1);
    while (start < lines.length) {
      let [end, size] = [start, 0];
      do size += (lines[end++] ?? "").length + 1;
      while (end < lines.length && size + (lines[end] ?? "").length <= LARGEST_PART);
      imported = await send(start, end);
      start = end;
    }
    return imported;
  }
}
