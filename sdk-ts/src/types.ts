/** Types of requests and answers by the ids of the API's operations. */
import type { components, operations } from "./openapi.js";
import type { ROUTES } from "./routes.js";

export type Schemas = components["schemas"];
export type OperationId = keyof typeof ROUTES & keyof operations;

type Success<R> = R[keyof R & (200 | 201 | 202 | 204)];
type Json<R> = R extends { content: { "application/json": infer A } } ? A : void;

/** The answer of an operation: JSON, or nothing. */
export type Answer<O extends OperationId> = Json<Success<operations[O]["responses"]>>;
export type Body<O extends OperationId> = operations[O] extends {
  requestBody?: { content: { "application/json": infer B } };
}
  ? B
  : never;
export type Query<O extends OperationId> = operations[O]["parameters"] extends { query?: infer Q }
  ? Exclude<Q, undefined>
  : never;

/** Options that every call takes. A POST without an `idempotencyKey` gets one. `ifMatch` is the `etag` of a read. */
export interface CallOptions {
  idempotencyKey?: string;
  ifMatch?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** The ETag of the answer, for `ifMatch`. Undefined where the service sends none. */
export type Tagged<T> = T & { etag?: string };
