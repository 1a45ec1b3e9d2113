/** Background work: look at it, cancel it, retry it, wait for it. */
import { ConnectionFailed, OperationNotCompleted, WaitTimedOut } from "./errors.js";
import { Resource } from "./resource.js";
import { sleep } from "./transport.js";
import type { CallOptions, Query, Schemas } from "./types.js";

export type OperationDetail = Schemas["OperationDetailOutput"];
export const LONGEST_MS = 600_000;
const FIRST_PAUSE_MS = 100; // a short operation is seen at once, a long one is polled rarely
const LONGEST_PAUSE_MS = 2_000;
const GROWTH = 1.5;
const FINISHED = new Set(["completed", "failed", "cancelled"]);

export interface WaitOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Called at every change. */
  onProgress?: (operation: OperationDetail) => void;
}

export function isFinished(status: string): boolean {
  return FINISHED.has(status);
}

export class Operations extends Resource {
  get(operationId: string, options?: CallOptions) {
    return this.call("get_operation", [operationId], options);
  }

  list(query?: Query<"list_operations">, options?: CallOptions) {
    return this.pages("list_operations", [], query, options, "operations");
  }

  cancel(operationId: string, options?: CallOptions) {
    return this.call("cancel_operation", [operationId], options);
  }

  retry(operationId: string, options?: CallOptions) {
    return this.call("retry_operation", [operationId], options);
  }

  /** Throws OperationNotCompleted if it failed or was cancelled, and WaitTimedOut after `timeoutMs`. */
  async wait(operationId: string, options: WaitOptions = {}): Promise<OperationDetail> {
    const { timeoutMs = LONGEST_MS, signal, onProgress } = options;
    const end = Date.now() + timeoutMs;
    let pause = FIRST_PAUSE_MS;
    let before: OperationDetail | undefined;
    for (;;) {
      let operation: OperationDetail;
      try {
        operation = await this.get(operationId, { signal, timeoutMs: Math.max(1_000, end - Date.now()) });
      } catch (cause) {
        if (cause instanceof ConnectionFailed && Date.now() >= end) {
          throw new WaitTimedOut(operationId, timeoutMs, before, { cause });
        }
        throw cause;
      }
      if (onProgress && (!before || hasMoved(before, operation))) onProgress(operation);
      if (isFinished(operation.status)) {
        if (operation.status !== "completed") throw new OperationNotCompleted(operation);
        return operation;
      }
      const left = end - Date.now();
      if (left <= 0) throw new WaitTimedOut(operationId, timeoutMs, operation);
      await sleep(Math.min(pause, left), signal);
      pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH);
      before = operation;
    }
  }
}

function hasMoved(before: OperationDetail, now: OperationDetail): boolean {
  const read = ({ status, progress, attempts }: OperationDetail) => JSON.stringify([status, progress, attempts]);
  return read(before) !== read(now);
}
