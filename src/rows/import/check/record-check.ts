import { runInSlices } from '../../../platform/fairness/event-loop-turns';
import type { SourceRecord } from '../read/record';
import type { CheckedRow, CheckedRows } from './checked-row';

/** Makes rows of records of one format. */
export interface RecordCheck<Content> {
  check(record: SourceRecord<Content>): CheckedRow;
  /** Does the same; yields wherever `isDue` says that a slice of work is over. */
  checkInSlices(
    record: SourceRecord<Content>,
    isDue: () => boolean,
  ): Generator<undefined, CheckedRow>;
}

/** Length above which a record is checked in slices, in UTF-16 units or bytes. */
const LONG_RECORD = 64 * 1024;

/**
 * Checks records: short ones as they are asked for, so that rows that came together are to be taken
 * before the next are asked for, and long ones in slices.
 */
export async function* checkedRows<Content>(
  accountId: string,
  check: RecordCheck<Content>,
  records: Iterable<SourceRecord<Content>>,
): AsyncGenerator<CheckedRows> {
  const iterator = records[Symbol.iterator]();
  const long: SourceRecord<Content>[] = [];
  for (;;) {
    yield untilLong(check, iterator, long);
    const record = long.pop();
    if (!record) return;
    yield [await runInSlices(accountId, (isDue) => check.checkInSlices(record, isDue))];
  }
}

/**
 * Checks records up to a long one, which it adds to `long`. No closure: each generator function that
 * is created keeps what it closes over until the next full collection.
 */
function* untilLong<Content>(
  check: RecordCheck<Content>,
  records: Iterator<SourceRecord<Content>>,
  long: SourceRecord<Content>[],
): Generator<CheckedRow> {
  for (let next = records.next(); next.done !== true; next = records.next()) {
    if (next.value.length > LONG_RECORD) {
      long.push(next.value);
      return;
    }
    yield check.check(next.value);
  }
}
