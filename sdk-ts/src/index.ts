/** TypeScript client of memoryplatform. */
export * from "./account.js";
export * from "./banks.js";
export * from "./client.js";
export * from "./errors.js";
export * from "./events.js";
export * from "./memories.js";
export * from "./memory.js";
export * from "./operations.js";
export { Pages } from "./pages.js";
export type { Page, Row } from "./pages.js";
export { DEFAULT_RETRY, VERSION } from "./transport.js";
export type { ClientOptions, RetryPolicy } from "./transport.js";
export type { Answer, Body, CallOptions, OperationId, Query, Schemas, Tagged } from "./types.js";
