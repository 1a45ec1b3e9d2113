/**
 * The errors of the client.
 *
 *     MemoryPlatformError
 *     ├── UnusableId, UnusableFilter, UnusableHeader   nothing was sent
 *     ├── ConnectionFailed ── RequestTimedOut          no answer arrived
 *     ├── UnreadableAnswer                             the answer is not one of this service
 *     ├── OperationNotCompleted                        the awaited operation failed or was cancelled
 *     ├── WaitTimedOut                                 the awaited operation is still running
 *     └── APIError                                     the service refused
 */
import type { Schemas } from "./types.js";

export class MemoryPlatformError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An empty id, `.` or `..` would lead to another address. */
export class UnusableId extends MemoryPlatformError {
  constructor(given: string) {
    super(`An id must not be empty, "." or "..", or contain a slash: ${JSON.stringify(given)}.`);
  }
}

/** An empty filter of a deletion would delete everything. */
export class UnusableFilter extends MemoryPlatformError {
  constructor(names: string[]) {
    super(`Given without a value: ${names.join(", ")}. Nothing is deleted.`);
  }
}

/** The message names the header but never its value, which may be the API key. */
export class UnusableHeader extends MemoryPlatformError {
  constructor(header: string) {
    super(`The ${header} is empty, or has characters that can't be sent.`);
  }
}

export class ConnectionFailed extends MemoryPlatformError {}
export class RequestTimedOut extends ConnectionFailed {}
export class UnreadableAnswer extends MemoryPlatformError {}

export class OperationNotCompleted extends MemoryPlatformError {
  constructor(readonly operation: Schemas["OperationDetailOutput"]) {
    const reason = operation.error?.detail ?? "no reason was given.";
    super(`Operation ${operation.operation_id} ${operation.status}: ${reason}`);
  }
}

/** `operation` is its last known state; undefined where the service never answered. */
export class WaitTimedOut extends MemoryPlatformError {
  constructor(
    readonly operationId: string,
    timeoutMs: number,
    readonly operation?: Schemas["OperationDetailOutput"],
    options?: ErrorOptions,
  ) {
    const seen = operation ? `is still ${operation.status}` : "could not be fetched";
    super(`Operation ${operationId} ${seen} after ${timeoutMs} ms.`, options);
  }
}

export interface FieldFault {
  field: string;
  message: string;
  code: string;
}

/** An error response of the service. `retryAfter` is in seconds. */
export interface Refusal {
  statusCode: number;
  code: string;
  detail: string;
  requestId: string;
  errors: FieldFault[];
  retryAfter?: number;
}

export class APIError extends MemoryPlatformError implements Refusal {
  readonly statusCode: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors: FieldFault[];
  readonly retryAfter?: number;

  constructor(refusal: Refusal) {
    super(`${refusal.detail} (${refusal.statusCode} ${refusal.code}, request ${refusal.requestId})`);
    this.statusCode = refusal.statusCode;
    this.code = refusal.code;
    this.detail = refusal.detail;
    this.requestId = refusal.requestId;
    this.errors = refusal.errors;
    this.retryAfter = refusal.retryAfter;
  }
}

export class BadRequest extends APIError {}
export class Unauthenticated extends APIError {}
export class QuotaExceeded extends APIError {}
export class PermissionDenied extends APIError {}
export class NotFound extends APIError {}
export class BankNotFound extends NotFound {}
export class MemoryNotFound extends NotFound {}
export class OperationNotFound extends NotFound {}
export class Conflict extends APIError {}
export class AlreadyExists extends Conflict {}
export class RequestInFlight extends Conflict {}
export class PreconditionFailed extends APIError {}
export class BodyTooLarge extends APIError {}
export class Invalid extends APIError {}
export class IdempotencyKeyReused extends Invalid {}
export class RateLimited extends APIError {}
export class ServerError extends APIError {}
export class Unavailable extends ServerError {}
export class ModelFailed extends ServerError {}
export class ModelTimedOut extends ServerError {}

type ErrorClass = new (refusal: Refusal) => APIError;
const BY_CODE: Record<string, ErrorClass> = {
  bank_not_found: BankNotFound,
  memory_not_found: MemoryNotFound,
  operation_not_found: OperationNotFound,
  bank_exists: AlreadyExists,
  memory_exists: AlreadyExists,
  entity_exists: AlreadyExists,
  retention_rule_exists: AlreadyExists,
  mental_model_exists: AlreadyExists,
  request_in_flight: RequestInFlight,
  idempotency_key_reused: IdempotencyKeyReused,
  model_failed: ModelFailed,
  model_timeout: ModelTimedOut,
};
const BY_STATUS: Record<number, ErrorClass> = {
  400: BadRequest,
  401: Unauthenticated,
  402: QuotaExceeded,
  403: PermissionDenied,
  404: NotFound,
  409: Conflict,
  412: PreconditionFailed,
  413: BodyTooLarge,
  422: Invalid,
  429: RateLimited,
  503: Unavailable,
};
/** The status that an error in a stream would have had, if the response had not already begun. */
export const LATE_STATUS: Record<string, number> = {
  quota_exceeded: 402,
  bank_not_found: 404,
  bank_busy: 503,
  nothing_searched: 503,
  overloaded: 503,
  unavailable: 503,
  model_unavailable: 503,
  model_failed: 502,
  model_timeout: 504,
};

export function buildError(refusal: Refusal): APIError {
  const usual = refusal.statusCode >= 500 ? ServerError : APIError;
  return new (BY_CODE[refusal.code] ?? BY_STATUS[refusal.statusCode] ?? usual)(refusal);
}
