import { runInSlices } from '../../../platform/fairness/event-loop-turns';
import type { SourceRecord } from '../read/record';
import type { CheckedRow, CheckedRows } from './checked-row';

/** Converts records of one format to rows. */
export interface RecordCheck<Content> {
  check(record: SourceRecord<Content>): CheckedRow;
  /** Like `check`, but yields whenever `isDue` returns true. */
  checkInSlices(
    record: SourceRecord<Content>,
    isDue: () => boolean,
  ): Generator<undefined, CheckedRow>;
}

/** Length above which a record is checked in slices, in UTF-16 code units or bytes. */
const LONG_RECORD = 64 * 1024;

/**
 * Checks records: long ones in slices, and short ones lazily. The caller must therefore read all
 * rows of one batch before it requests the next batch.
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
 * Checks records up to the first long one, which it adds to `long`. It is not a closure, because
 * each generator function that is created keeps the variables it captures alive until the next full
 * garbage collection.
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
