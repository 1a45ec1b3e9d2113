/** Requests: addresses, headers, time limits and retries. */
import { buildError, ConnectionFailed, RequestTimedOut, UnreadableAnswer, UnusableHeader, UnusableId } from "./errors.js";
import type { FieldFault, Refusal } from "./errors.js";
import { ROUTES } from "./routes.js";
import type { Answer, CallOptions, OperationId } from "./types.js";

export const VERSION = "0.1.0";
const DEFAULT_TIMEOUT_MS = 120_000; // long enough for a reflect, and for a retain that waits for a language model

/** `attempts` includes the first one. A `Retry-After` of more than `longestWaitMs` ends the attempts. */
export interface RetryPolicy {
  attempts: number;
  firstWaitMs: number;
  longestWaitMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstWaitMs: 500, longestWaitMs: 30_000 };

export interface ClientOptions {
  apiKey: string;
  timeoutMs?: number;
  retry?: Partial<RetryPolicy>;
  /** Replaces the network, for example in a test. */
  fetch?: typeof fetch;
}

export interface Sent extends CallOptions {
  query?: Record<string, unknown>;
  body?: unknown;
  /** A body of JSON lines, in place of `body`. */
  lines?: string;
  accept?: string;
}

export class Transport {
  readonly root: string;
  readonly retry: RetryPolicy;
  readonly #key: string;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;

  constructor(baseUrl: string, options: ClientOptions) {
    this.root = `${baseUrl.replace(/\/+$/, "")}/v1`;
    this.retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#key = checkHeader("API key", options.apiKey.trim());
    this.#fetch = options.fetch ?? fetch;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Performs an operation. `names` fill the placeholders of its path in their order. */
  async call<O extends OperationId>(operation: O, names: string[] = [], sent: Sent = {}): Promise<Answer<O>> {
    const response = await this.send(operation, names, sent);
    if (response.status === 204) return undefined as Answer<O>;
    const answer = await this.#readJson(response);
    const etag = response.headers.get("ETag");
    if (etag !== null) Object.defineProperty(answer, "etag", { value: etag, enumerable: false });
    return answer as Answer<O>;
  }

  /** The response of an operation, after the retries that it allows. */
  async send(operation: OperationId, names: string[], sent: Sent): Promise<Response> {
    const [method, path] = ROUTES[operation];
    const streams = sent.accept !== undefined;
    const headers = this.#buildHeaders(method, sent);
    const url = this.root + fillPath(path, names) + encodeQuery(sent.query ?? {});
    const body = sent.lines ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    const isRepeatable = !streams && (method === "GET" || method === "POST");
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(url, { method, headers, body }, sent);
      if (outcome instanceof Response && outcome.ok) return outcome;
      const refusal = outcome instanceof Response ? await readRefusal(outcome) : undefined;
      const failure = refusal ? buildError(refusal) : (outcome as Error);
      const isWorthIt = refusal ? isWorthAnother(refusal, isRepeatable) : isRepeatable;
      const wait = isWorthIt && !streams && !sent.signal?.aborted ? findWait(this.retry, attempt, refusal) : undefined;
      if (wait === undefined) throw failure;
      await sleep(wait, sent.signal);
    }
  }

  async #attempt(url: string, init: RequestInit, sent: Sent): Promise<Response | ConnectionFailed> {
    const timeout = AbortSignal.timeout(sent.timeoutMs ?? this.#timeoutMs);
    const signal = sent.signal ? AbortSignal.any([timeout, sent.signal]) : timeout;
    try {
      return await this.#fetch(url, { ...init, signal });
    } catch (cause) {
      if (sent.signal?.aborted) throw sent.signal.reason;
      const address = `${init.method} ${url.split("?")[0]}`;
      if (timeout.aborted) return new RequestTimedOut(`${address}: no answer in time.`, { cause });
      return new ConnectionFailed(`${address}: ${describeCause(cause)}`, { cause });
    }
  }

  #buildHeaders(method: string, sent: Sent): Record<string, string> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.#key}`,
      Accept: sent.accept ?? "application/json",
      "User-Agent": `memoryplatform-client-ts/${VERSION}`,
    };
    if (sent.body !== undefined) headers["Content-Type"] = "application/json";
    if (sent.lines !== undefined) headers["Content-Type"] = "application/x-ndjson";
    if (sent.ifMatch !== undefined) headers["If-Match"] = checkHeader("ifMatch", sent.ifMatch);
    if (method === "POST" && sent.accept === undefined) {
      headers["Idempotency-Key"] = checkHeader("idempotencyKey", sent.idempotencyKey ?? crypto.randomUUID());
    }
    return headers;
  }

  async #readJson(response: Response): Promise<object> {
    try {
      return (await response.json()) as object;
    } catch (cause) {
      throw new UnreadableAnswer(`The answer with status ${response.status} is not JSON.`, { cause });
    }
  }
}

export function fillPath(path: string, names: string[]): string {
  const left = [...names];
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeName(name, left.shift() ?? ""));
}

/** Ids of documents may have slashes. */
function encodeName(name: string, value: string): string {
  const parts = name === "document_id" ? value.split("/") : [value];
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("/"))) {
    throw new UnusableId(value);
  }
  return parts.map(encodeURIComponent).join("/");
}

/** Undefined and null are left out. A list repeats its parameter's name. */
export function encodeQuery(query: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) params.append(name, one instanceof Date ? one.toISOString() : String(one));
    }
  }
  const text = params.toString();
  return text && `?${text}`;
}

export function checkHeader(name: string, value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new UnusableHeader(name);
  return value;
}

export async function readRefusal(response: Response): Promise<Refusal> {
  let body: Record<string, unknown> = {};
  try {
    body = ((await response.json()) ?? {}) as Record<string, unknown>;
  } catch {
    // an error page of a proxy: its refusal has an empty code
  }
  return {
    statusCode: response.status,
    code: String(body.code ?? ""),
    detail: String(body.detail ?? (response.statusText || "No reason was given.")),
    requestId: String(body.request_id ?? response.headers.get("X-Request-ID") ?? ""),
    errors: Array.isArray(body.errors) ? (body.errors as FieldFault[]) : [],
    retryAfter: readRetryAfter(response.headers.get("Retry-After")),
  };
}

/** Seconds. The header holds either seconds or an HTTP date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** A request that the service may already have performed is repeated only if it is idempotent. */
function isWorthAnother(refusal: Refusal, isRepeatable: boolean): boolean {
  if (refusal.statusCode === 429) return true;
  if (refusal.code === "no_language_model") return false;
  const isFromProxy = (refusal.statusCode === 502 || refusal.statusCode === 504) && !refusal.code;
  return isRepeatable && (refusal.statusCode === 503 || refusal.code === "request_in_flight" || isFromProxy);
}

/** Half of the wait is random, so that clients that failed together don't return together. */
function findWait(retry: RetryPolicy, attempt: number, refusal?: Refusal): number | undefined {
  const asked = (refusal?.retryAfter ?? 0) * 1000;
  if (attempt >= retry.attempts || asked > retry.longestWaitMs) return undefined;
  const jittered = Math.min(retry.longestWaitMs, retry.firstWaitMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return asked ? Math.max(jittered, asked + jittered / 2) : jittered;
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function describeCause(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}
