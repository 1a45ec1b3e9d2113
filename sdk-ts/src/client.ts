/** The client: retain, recall and reflect are its methods, and resources are its attributes. */
import { Account, AuditEvents, Erasures, Transfer, Webhooks } from "./account.js";
import { Background, Banks, Directives, MentalModels, RetentionRules, Tags } from "./banks.js";
import { OperationNotCompleted } from "./errors.js";
import { readEvents } from "./events.js";
import type { ReflectEvent } from "./events.js";
import {
  Documents,
  Entities,
  Episodes,
  Feedback,
  Memories,
  Messages,
  Observations,
  Opinions,
  Quarantine,
  Recalls,
  Relationships,
} from "./memories.js";
import { isFinished, LONGEST_MS, Operations } from "./operations.js";
import type { OperationDetail } from "./operations.js";
import { Resource } from "./resource.js";
import { Transport } from "./transport.js";
import type { ClientOptions } from "./transport.js";
import type { Body, CallOptions, Schemas } from "./types.js";

/** A text, `messages` or `facts`, with thread, tags and the like. */
export type RetainItem = Schemas["ItemInput"];
export type Retained = Schemas["RetainOutput"];
export type DryRun = Schemas["DryRunOutput"];
export type RecallOptions = Omit<Body<"recall">, "query">;
export type ReflectOptions = Omit<Body<"reflect">, "query" | "stream">;

/** `wait` false returns at once, with the `operation_id`. `waitMs` bounds the wait for a large retain. */
export interface RetainOptions extends CallOptions {
  wait?: boolean;
  waitMs?: number;
  settings?: Body<"retain">["settings"];
}

export class MemoryClient extends Resource {
  readonly banks: Banks;
  readonly memories: Memories;
  readonly documents: Documents;
  readonly messages: Messages;
  readonly episodes: Episodes;
  readonly entities: Entities;
  readonly relationships: Relationships;
  readonly tags: Tags;
  readonly opinions: Opinions;
  readonly observations: Observations;
  readonly background: Background;
  readonly retentionRules: RetentionRules;
  readonly quarantine: Quarantine;
  readonly directives: Directives;
  readonly mentalModels: MentalModels;
  readonly recalls: Recalls;
  readonly feedback: Feedback;
  readonly operations: Operations;
  readonly webhooks: Webhooks;
  readonly account: Account;
  readonly erasures: Erasures;
  readonly auditEvents: AuditEvents;
  readonly transfer: Transfer;

  constructor(baseUrl: string, options: ClientOptions) {
    const transport = new Transport(baseUrl, options);
    super(transport);
    this.banks = new Banks(transport);
    this.memories = new Memories(transport);
    this.documents = new Documents(transport);
    this.messages = new Messages(transport);
    this.episodes = new Episodes(transport);
    this.entities = new Entities(transport);
    this.relationships = new Relationships(transport);
    this.tags = new Tags(transport);
    this.opinions = new Opinions(transport);
    this.observations = new Observations(transport);
    this.background = new Background(transport);
    this.retentionRules = new RetentionRules(transport);
    this.quarantine = new Quarantine(transport);
    this.directives = new Directives(transport);
    this.mentalModels = new MentalModels(transport);
    this.recalls = new Recalls(transport);
    this.feedback = new Feedback(transport);
    this.operations = new Operations(transport);
    this.webhooks = new Webhooks(transport);
    this.account = new Account(transport);
    this.erasures = new Erasures(transport);
    this.auditEvents = new AuditEvents(transport);
    this.transfer = new Transfer(transport);
  }

  /** Retains a text or an item. A missing bank is created. */
  retain(bankId: string, item: string | RetainItem, options?: RetainOptions): Promise<Retained> {
    return this.retainBatch(bankId, [item], options);
  }

  /** Retains up to 1,000 items. Each is accepted or refused separately: `item_errors` names the refused ones. */
  async retainBatch(bankId: string, items: (string | RetainItem)[], options: RetainOptions = {}): Promise<Retained> {
    const { wait = true, waitMs = LONGEST_MS, settings, ...call } = options;
    const body = { items: items.map(toItem), async: !wait, ...(settings ? { settings } : {}) };
    const retained = (await this.call("retain", [bankId], { ...call, body })) as Retained;
    if (!wait || isFinished(retained.status)) return retained;
    return this.#seeThrough(retained, { timeoutMs: waitMs, signal: call.signal });
  }

  /** A failed operation does not throw: its status says so, as in the response to a small retain. */
  async #seeThrough(retained: Retained, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Retained> {
    try {
      return endAs(retained, await this.operations.wait(retained.operation_id, options));
    } catch (failure) {
      if (failure instanceof OperationNotCompleted) return endAs(retained, failure.operation);
      throw failure;
    }
  }

  /** The facts that `retain` would store. Nothing is stored, and a missing bank is not created. */
  dryRun(bankId: string, item: string | RetainItem, options: RetainOptions = {}): Promise<DryRun> {
    const { settings, ...call } = options;
    const body = { items: [toItem(item)], dry_run: true, ...(settings ? { settings } : {}) };
    return this.call("retain", [bankId], { ...call, body }) as Promise<DryRun>;
  }

  recall(bankId: string, query: string, options: RecallOptions = {}, call?: CallOptions) {
    return this.call("recall", [bankId], { ...call, body: { ...options, query } });
  }

  /** Searches several banks at once. Each result names its bank. */
  recallAcross(bankIds: string[], query: string, options: RecallOptions = {}, call?: CallOptions) {
    return this.call("recall_across", [], { ...call, body: { ...options, query, banks: bankIds } });
  }

  /** Answers a question in the agent's disposition, with cited memories. */
  reflect(bankId: string, query: string, options: ReflectOptions = {}, call?: CallOptions) {
    return this.call("reflect", [bankId], { ...call, body: { ...options, query } }) as Promise<
      Schemas["ReflectOutput"]
    >;
  }

  /** Reflects, and yields the answer as it is written. Leave the loop to cancel. */
  async *streamReflect(
    bankId: string,
    query: string,
    options: ReflectOptions = {},
    call?: CallOptions,
  ): AsyncGenerator<ReflectEvent> {
    const body = { ...options, query, stream: true };
    const response = await this.transport.send("reflect", [bankId], { ...call, body, accept: "text/event-stream" });
    yield* readEvents(response);
  }
}

function toItem(item: string | RetainItem): RetainItem {
  return typeof item === "string" ? { content: item } : item;
}

function endAs(retained: Retained, operation: OperationDetail): Retained {
  const result = (operation.status === "completed" ? operation.result : undefined) as Partial<Retained> | undefined;
  const errors = operation.error ? [operation.error.detail] : retained.errors;
  return { ...retained, ...result, status: operation.status, success: operation.status === "completed", errors } as Retained;
}
