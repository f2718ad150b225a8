import { unavailable } from '../common/error/app-error';
import type { ResultBatch } from '../imports/source/result-rows';
import { DestinationError } from '../destinations/destination';

/** What the batches of a result tell the run that reads them. */
interface ResultReader {
  readonly signal: AbortSignal;
  /** Called when rows arrive. */
  noteRows(): void;
}

/** Counts the rows of a result. `awaitFirst` waits for its first batch, `all` then yields all batches. */
export class ResultBatches {
  /** Failure of the source; `null` if there is none. */
  failure: DestinationError | null = null;
  private readonly iterator: AsyncIterator<ResultBatch>;
  private first: IteratorResult<ResultBatch> | null = null;
  private rows = 0;

  constructor(
    batches: AsyncIterable<ResultBatch>,
    private readonly run: ResultReader,
    private readonly maxRows: number,
  ) {
    this.iterator = batches[Symbol.asyncIterator]();
  }

  /** @throws DestinationError, or the reason if the run is stopped. */
  async awaitFirst(): Promise<void> {
    this.first = await this.iterator.next();
    this.run.signal.throwIfAborted();
  }

  /** Yields all batches, the first included. @throws AppError for a failure of the source. */
  async *all(): AsyncGenerator<ResultBatch> {
    try {
      let next = this.first ?? (await this.iterator.next());
      for (; next.done !== true; next = await this.iterator.next()) {
        this.run.noteRows();
        this.rows += next.value.length;
        if (this.rows > this.maxRows) throw tooManyRows(this.maxRows);
        yield next.value;
      }
    } catch (error) {
      if (!(error instanceof DestinationError)) throw error;
      this.failure = error;
      throw unavailable(error.message, error);
    }
  }
}

function tooManyRows(max: number): DestinationError {
  const message = `The result has more than ${String(max)} rows. Select fewer. Rows that were written before stay.`;
  return new DestinationError('configuration', message);
}
