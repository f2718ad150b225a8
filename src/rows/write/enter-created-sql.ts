import type { Statement } from '../../platform/database/statement';
import { enterRows } from '../index/index-sql';
import { decompressed } from '../storage/each-column-sql';
import { uniqueHashes } from '../storage/unique-sql';

/** What a datagrid's rows are entered into beside their own table. */
export interface Entered {
  readonly hasUnique: boolean;
  readonly hasIndex: boolean;
}

/**
 * Common table expressions that follow one, `created`, of new rows (`id`, `values`): their claims on
 * unique values, with the columns in parameters from $6 on, and their index entries, with the columns
 * in those that follow.
 */
export function enterCreated({ hasUnique, hasIndex }: Entered): string {
  const claimed = `, claimed AS (
      INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
      SELECT $1, e.column_id, e.hash, r.id
      FROM ${uniqueHashes(`SELECT id, ${decompressed('"values"')} AS "values" FROM created`, 6)}
    )`;
  const entered = `, ${enterRows('created', hasUnique ? 9 : 6)}`;
  return `${hasUnique ? claimed : ''}${hasIndex ? entered : ''}`;
}

/** What tells a statement's name from that of the others of its kind. */
export function enteredSuffix({ hasUnique, hasIndex }: Entered): string {
  return `${hasUnique ? '-unique' : ''}${hasIndex ? '-indexed' : ''}`;
}

/**
 * Makes a statement for each kind of datagrid: those without unique or indexed columns have a smaller
 * one, which is quicker to set up.
 */
export function forEachKind(
  make: (entered: Entered) => Statement,
): (entered: Entered) => Statement {
  const [plain, indexed, unique, both] = [
    make({ hasUnique: false, hasIndex: false }),
    make({ hasUnique: false, hasIndex: true }),
    make({ hasUnique: true, hasIndex: false }),
    make({ hasUnique: true, hasIndex: true }),
  ];
  return ({ hasUnique, hasIndex }) => {
    if (hasUnique) return hasIndex ? both : unique;
    return hasIndex ? indexed : plain;
  };
}
