/** The base of every resource: typed calls by the id of the API's operation. */
import { Pages } from "./pages.js";
import type { Transport } from "./transport.js";
import type { Answer, Body, CallOptions, OperationId, Query, Tagged } from "./types.js";

export class Resource {
  constructor(protected readonly transport: Transport) {}

  protected call<O extends OperationId>(
    operation: O,
    names: string[] = [],
    sent: CallOptions & { query?: Query<O>; body?: Body<O> } = {},
  ): Promise<Tagged<Answer<O>>> {
    return this.transport.call(operation, names, sent as never) as Promise<Tagged<Answer<O>>>;
  }

  protected pages<O extends OperationId>(
    operation: O,
    names: string[] = [],
    query?: Query<O>,
    options?: CallOptions,
    rows?: string,
  ): Pages<O> {
    return new Pages(this.transport, operation, names, query as Record<string, unknown> | undefined, options, rows);
  }

  protected async text(operation: OperationId, names: string[], query?: object, options?: CallOptions): Promise<string> {
    const sent = { ...options, query: query as Record<string, unknown>, accept: "*/*" };
    return (await this.transport.send(operation, names, sent)).text();
  }
}
