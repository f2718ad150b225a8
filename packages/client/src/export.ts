import { ConnectionError } from './error.ts';
import type { RowQuery } from './row-types.ts';
import type { CallOptions, Query, Transport } from './transport.ts';

export interface ExportOptions extends Omit<RowQuery, 'filter'>, CallOptions {
  /** The filter, or its JSON text. */
  readonly filter?: object | string | undefined;
  /** `ndjson` by default. */
  readonly format?: 'csv' | 'ndjson' | undefined;
  /** Content of a line of NDJSON: the values, by default, or the whole row. */
  readonly shape?: 'values' | 'row' | undefined;
  /** Link columns to export as keys of the linked rows, such as `airline.iata`. */
  readonly linkKeys?: readonly string[] | undefined;
  readonly delimiter?: string | undefined;
  readonly escapeFormulas?: boolean | undefined;
  readonly bom?: boolean | undefined;
  /** Whether the transfer is compressed. By default, the runtime decides. */
  readonly compress?: boolean | undefined;
}

/** A file that is being read. */
export interface ExportedFile {
  /** The file. The stream fails with a ConnectionError if it ends early. */
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  /** Number of rows, when the body has been read to its end. Fails if the body fails. */
  readonly rows: Promise<number>;
}

/** Starts an export. Retries only until the file begins. */
export function exportFile(
  transport: Transport,
  path: string,
  options: ExportOptions,
): Promise<ExportedFile> {
  const { signal, maxAttempts, idempotencyKey, compress, ...parameters } = options;
  const encoding = compress === true ? 'gzip' : 'identity';
  const call = {
    method: 'GET' as const,
    path: `${path}/rows/export`,
    query: { ...parameters, endLine: true } satisfies Query,
    headers: compress === undefined ? undefined : { 'accept-encoding': encoding },
    timeoutMs: null,
    ...{ signal, maxAttempts, idempotencyKey },
  };
  return transport.send(call, (response) =>
    Promise.resolve(checkedFile(response, 'export', signal)),
  );
}

/** Returns a file without its end line, which it must have. `name` is what errors call it. */
export function checkedFile(
  response: Response,
  name: 'export' | 'result',
  signal: AbortSignal | undefined,
): ExportedFile {
  const contentType = response.headers.get('content-type') ?? '';
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  const check = new EndLineCheck();
  const rows = new RowCount();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            const end = check.end();
            if (end.rest.length > 0) controller.enqueue(end.rest);
            controller.close();
            rows.resolve(end.rows);
            return;
          }
          const part = check.push(value);
          if (part.length === 0) continue;
          controller.enqueue(part);
          return;
        }
      } catch (cause) {
        const endedEarly = new ConnectionError(`The ${name} ended early.`, { cause });
        const failure = signal?.aborted === true ? (signal.reason as Error) : endedEarly;
        controller.error(failure);
        rows.reject(failure);
        await reader.cancel().catch(() => undefined);
      }
    },
    cancel: async (reason) => {
      rows.reject(new ConnectionError(`The ${name} was not read to its end.`));
      await reader.cancel(reason);
    },
  });
  return { body, contentType, rows: rows.count };
}

/** Number of rows, once it is known. */
class RowCount {
  resolve!: (rows: number) => void;
  reject!: (error: Error) => void;
  readonly count = new Promise<number>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // Not every reader of the body looks at the number.
    this.count.catch(() => undefined);
  }
}

/** Longer than every end line. */
const MAX_END_LINE_BYTES = 64;
const END_LINE = /(?:^|\n)(\{"_end":\{"rows":(\d+)\}\}\n)$/;

/**
 * Removes the end line of a file. `fetch` cannot read the trailers, and some proxies hide that a
 * connection broke, so the line is what proves that the file is complete.
 */
export class EndLineCheck {
  private tail = new Uint8Array(0);

  /** @returns the bytes that are certainly not part of the end line. */
  push(chunk: Uint8Array): Uint8Array {
    const all = new Uint8Array(this.tail.length + chunk.length);
    all.set(this.tail);
    all.set(chunk, this.tail.length);
    const certain = Math.max(0, all.length - MAX_END_LINE_BYTES);
    this.tail = all.slice(certain);
    return all.subarray(0, certain);
  }

  /** @throws Error if the end line is missing. */
  end(): { readonly rest: Uint8Array; readonly rows: number } {
    // Each byte is one character, so that positions in the text are those of the bytes.
    const text = String.fromCharCode(...this.tail);
    const [, line, rows] = END_LINE.exec(text) ?? [];
    if (line === undefined) throw new Error('The end line is missing.');
    return { rest: this.tail.subarray(0, this.tail.length - line.length), rows: Number(rows) };
  }
}
