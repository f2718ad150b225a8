import { ApiError, ImportError, SourceError } from './error.ts';
import type { ImportReport } from './import-report.ts';
import { delay } from './retry.ts';
import type { Call, CallOptions, Transport } from './transport.ts';

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
const WATCH_EVERY_MS = 500;

type Chunks = AsyncIterable<string | Uint8Array>;

/** A file, or a stream of its parts. */
export type ImportFile = string | Uint8Array | Blob | ReadableStream<Uint8Array> | Chunks;

/**
 * A file, or a function that opens it. An import can be retried only if the file can be read again: a
 * stream must come from a function.
 */
export type ImportSource = ImportFile | (() => ImportFile);

export interface ImportOptions extends CallOptions {
  readonly format: 'csv' | 'ndjson';
  readonly mode?: 'insert' | 'upsert' | undefined;
  readonly matchOn?: readonly string[] | undefined;
  /** Link columns whose values are keys of the linked rows, such as `airline.iata`. */
  readonly linkKeys?: readonly string[] | undefined;
  readonly onError?: 'abort' | 'skip' | undefined;
  readonly createColumns?: boolean | undefined;
  /** Leave out the values of columns whose values the service sets, instead of rejecting them. */
  readonly ignoreReadOnly?: boolean | undefined;
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  /** The first line whose row is read: `nextLine` of the report of a failed import. */
  readonly startLine?: number | undefined;
  /** Whether the file is compressed with gzip. */
  readonly isGzip?: boolean | undefined;
  /** Size of a stream, if it is known. Some runtimes ignore it. */
  readonly bytes?: number | undefined;
  /**
   * Receives the reports of an import that is still running 2 seconds after the whole file has been sent,
   * twice a second. It is not called while the file is being sent, which is most of the time: for the
   * progress of that, count what the source yields.
   */
  readonly onProgress?: ((report: ImportReport) => void) | undefined;
}

/**
 * Imports a file, and waits until the import ends.
 * @returns the report of a completed import.
 * @throws ImportError if it failed after it started, ApiError if it could not start.
 */
export async function importFile(
  transport: Transport,
  path: string,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const { format, isGzip, bytes, onProgress, signal, idempotencyKey, maxAttempts } = options;
  const { mode, matchOn, linkKeys, onError, createColumns, ignoreReadOnly } = options;
  const { delimiter, encoding, startLine } = options;
  const body = new ImportBody(source);
  let report: ImportReport;
  try {
    const call = {
      method: 'POST' as const,
      path: `${path}/rows/import`,
      query: {
        ...{ mode, matchOn, linkKeys, onError, createColumns, ignoreReadOnly },
        ...{ delimiter, encoding, startLine },
      },
      headers: {
        'content-type': TYPES[format],
        ...(bytes !== undefined && { 'content-length': String(bytes) }),
        ...(isGzip === true && { 'content-encoding': 'gzip' }),
      },
      timeoutMs: null,
      openBody: () => body.open(),
      mayRepeat: () => body.isRepeatable,
      ...{ signal, idempotencyKey, maxAttempts },
    };
    report = await transport.send(call, async (response) => {
      const { data } = (await response.json()) as { data: ImportReport };
      return data;
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (body.error) throw body.error;
    if (!(error instanceof ApiError) || error.location === null) throw error;
    throw new ImportError(await reportAt(transport, { path: error.location, signal }), error);
  } finally {
    await body.close();
  }
  const own = `${path}/imports/${report.id}`;
  while (report.state === 'running') {
    onProgress?.(report);
    await delay(WATCH_EVERY_MS, signal);
    report = await reportAt(transport, { path: own, signal });
  }
  if (report.state !== 'completed') throw new ImportError(report);
  return report;
}

function reportAt(
  transport: Transport,
  call: Pick<Call, 'path' | 'signal'>,
): Promise<ImportReport> {
  return transport.data<ImportReport>({ method: 'GET', ...call });
}

/** Body of an import, which each attempt opens anew. */
class ImportBody {
  /** Failure of the source itself, which is not a failure of the connection. */
  error: SourceError | undefined;
  private opened = 0;
  private iterator: AsyncIterator<string | Uint8Array> | undefined;

  constructor(private readonly source: ImportSource) {}

  get isRepeatable(): boolean {
    if (this.error) return false;
    if (typeof this.source === 'function' || this.opened === 0) return true;
    return typeof this.source === 'string' || isBytes(this.source) || this.source instanceof Blob;
  }

  open(): string | Blob | ReadableStream<Uint8Array> {
    this.opened += 1;
    void this.end();
    const file = typeof this.source === 'function' ? this.source() : this.source;
    if (typeof file === 'string' || file instanceof Blob) return file;
    if (isBytes(file)) return new Blob([file as Uint8Array<ArrayBuffer>]);
    const iterator = isStream(file) ? chunksOf(file) : file[Symbol.asyncIterator]();
    this.iterator = iterator;
    return this.streamOf(iterator);
  }

  /** Releases a source that was not read to its end. */
  async close(): Promise<void> {
    await this.end();
  }

  private async end(): Promise<void> {
    const { iterator } = this;
    this.iterator = undefined;
    await iterator?.return?.().catch(() => undefined);
  }

  private streamOf(iterator: AsyncIterator<string | Uint8Array>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const next = await iterator.next();
          if (next.done === true) {
            controller.close();
            return;
          }
          const { value } = next;
          controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        } catch (error) {
          // A source that this class has ended has not failed.
          if (iterator === this.iterator) {
            const message = `Cannot read the file: ${(error as Error).message}`;
            this.error = new SourceError(message, { cause: error });
          }
          controller.error(error);
        }
      },
      cancel: () => this.end(),
    });
  }
}

const isBytes = (file: ImportFile): file is Uint8Array => file instanceof Uint8Array;

const isStream = (file: ReadableStream<Uint8Array> | Chunks): file is ReadableStream<Uint8Array> =>
  'getReader' in file;

/** Reads a stream. Not every runtime can iterate over one. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
