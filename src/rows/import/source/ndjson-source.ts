import type { CheckedRows } from '../check/checked-row';
import { ObjectRowCheck } from '../check/object-row-check';
import { checkedRows } from '../check/record-check';
import type { RowRules } from '../check/row-rules';
import { LineReader } from '../read/line-reader';
import type { RecordLimits } from '../read/record';
import type { RunningImport } from '../run/running-import';
import type { RowSource } from './row-source';

/** Reads rows of NDJSON. Each line is an object of values by column key. */
export class NdjsonSource implements RowSource {
  private readonly reader: LineReader;
  private readonly checks: ObjectRowCheck;
  private readonly accountId: string;

  constructor(running: RunningImport, rules: RowRules, limits: RecordLimits) {
    this.accountId = running.caller.accountId;
    this.reader = new LineReader(limits.maxLength);
    const use = running.use.bind(running);
    this.checks = new ObjectRowCheck(running.schema, rules, use, limits.maxCells);
    running.usedKeys = new Set();
  }

  async *rows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CheckedRows> {
    const { accountId, checks, reader } = this;
    for await (const chunk of chunks) yield* checkedRows(accountId, checks, reader.read(chunk));
    yield* checkedRows(accountId, checks, reader.end());
  }
}
