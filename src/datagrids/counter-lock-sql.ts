import { type Statement, textsOf } from '../platform/database/text-query';

/**
 * Changes nothing, and keeps the shard of datagrid $1 on its node until the end of the transaction. On
 * Citus, a row lock alone does not: the shard can be moved to another node, where another write takes
 * the same lock. A write keeps it, even if it changes no row.
 */
const HOLD_SHARD = `shard AS (
  UPDATE datagrid_counters SET revision = revision WHERE datagrid_id = $1 AND revision < 0
)`;

/**
 * Returns the texts of a statement that locks the counter, or another row, of datagrid $1.
 * @param query The statement without WITH.
 * @param expressions Its common table expressions, separated by commas.
 */
export function counterLock(
  query: string,
  expressions = '',
): Pick<Statement, 'text' | 'distributedText'> {
  return textsOf((isDistributed) => {
    const all = [isDistributed ? HOLD_SHARD : '', expressions].filter((each) => each !== '');
    return all.length === 0 ? query : `WITH ${all.join(', ')} ${query}`;
  });
}
