/** Lists that fetch each page when the iteration reaches it. */
import { UnreadableAnswer } from "./errors.js";
import type { Transport } from "./transport.js";
import type { Answer, CallOptions, OperationId } from "./types.js";

/** `total` counts the rows of all pages; undefined where the service does not report it. */
export interface Page<T> {
  items: T[];
  total?: number;
  offset: number;
  nextCursor?: string;
}

/** The rows of an answer: its field that is a list. */
export type Row<O extends OperationId> = {
  [Field in keyof Answer<O>]: Answer<O>[Field] extends (infer R)[] ? R : never;
}[keyof Answer<O>];

export class Pages<O extends OperationId> implements AsyncIterable<Row<O>> {
  constructor(
    private readonly transport: Transport,
    private readonly operation: O,
    private readonly names: string[],
    private readonly query: Record<string, unknown> = {},
    private readonly options: CallOptions = {},
    private readonly rows = "items",
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Row<O>> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** By cursor where the page has one. A ranked list has none and continues by offset up to its total. */
  async *pages(): AsyncGenerator<Page<Row<O>>> {
    let place: Record<string, unknown> | undefined = {};
    while (place) {
      const page: Page<Row<O>> = await this.#fetch(place);
      yield page;
      const seen = page.offset + page.items.length;
      if (page.nextCursor) place = { cursor: page.nextCursor, offset: undefined };
      else if (page.items.length && page.total !== undefined && seen < page.total) place = { offset: seen };
      else place = undefined;
    }
  }

  first(): Promise<Page<Row<O>>> {
    return this.#fetch({});
  }

  async toArray(): Promise<Row<O>[]> {
    const all: Row<O>[] = [];
    for await (const row of this) all.push(row);
    return all;
  }

  async #fetch(place: Record<string, unknown>): Promise<Page<Row<O>>> {
    const query = { ...this.query, ...place };
    const answer = (await this.transport.call(this.operation, this.names, { ...this.options, query })) as Record<
      string,
      unknown
    >;
    const items = answer[this.rows];
    if (!Array.isArray(items)) throw new UnreadableAnswer(`The answer has no ${this.rows}.`);
    return {
      items,
      total: answer.total as number | undefined,
      offset: (answer.offset as number | undefined) ?? 0,
      nextCursor: (answer.next_cursor as string | null) ?? undefined,
    };
  }
}
