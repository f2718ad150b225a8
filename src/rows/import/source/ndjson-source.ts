import type { CheckedRow, CheckedRows } from '../check/checked-row';
import { ObjectRowCheck } from '../check/object-row-check';
import type { RowRules } from '../check/row-rules';
import { LineReader } from '../read/line-reader';
import type { SourceRecord } from '../read/record';
import type { RunningImport } from '../run/running-import';
import type { RowSource } from './row-source';

/** Rows of NDJSON: a line is an object of values by column key. */
export class NdjsonSource implements RowSource {
  private readonly reader: LineReader;
  private readonly checks: ObjectRowCheck;

  constructor(running: RunningImport, rules: RowRules, lineLimitBytes: number) {
    this.reader = new LineReader(lineLimitBytes);
    this.checks = new ObjectRowCheck(running.schema, rules, (column) => {
      running.use(column);
    });
    running.usedKeys = new Set();
  }

  async *rows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CheckedRows> {
    for await (const chunk of chunks) yield this.checked(this.reader.read(chunk));
    yield this.checked(this.reader.end());
  }

  private *checked(records: Iterable<SourceRecord<Buffer>>): Generator<CheckedRow> {
    for (const record of records) yield this.checks.check(record);
  }
}
