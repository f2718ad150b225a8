import type { Statement } from '../../platform/database/statement';
import { enterRows } from '../index/index-sql';
import { decompressed } from '../storage/each-column-sql';
import { uniqueHashes } from '../storage/unique-sql';

/** The side tables that a statement writes in addition to `rows`. */
export interface Entered {
  readonly hasUnique: boolean;
  readonly hasIndex: boolean;
}

/**
 * Returns common table expressions to append after one named `created`, which has the new rows
 * (`id`, `values`). They insert the claims on unique values, with the columns in parameters from $6
 * on, and the index entries, with the columns in the parameters that follow.
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

/** Returns the part of a statement's name that distinguishes the variants of the statement. */
export function enteredSuffix({ hasUnique, hasIndex }: Entered): string {
  return `${hasUnique ? '-unique' : ''}${hasIndex ? '-indexed' : ''}`;
}

/**
 * Creates a variant of a statement for each kind of datagrid. Datagrids without unique or indexed
 * columns have a smaller statement, which PostgreSQL sets up faster.
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
