import { AppError } from '../../common/error/app-error';
import type { UniqueHashes } from './batch-row';
import { repeatedKey } from './operation-failure';
import type { Preparation } from './prepared-operation';

/**
 * Rejects a request that upserts the same row twice, because the intended values are ambiguous.
 * @throws AppError `invalid_request` with the path of the second upsert.
 */
export function refuseRepeats(
  prepared: readonly Preparation[],
  hashes: readonly UniqueHashes[],
): void {
  const seen = new Map<string, string>();
  prepared.forEach((each, index) => {
    if (each instanceof AppError || each.operation.op !== 'upsert') return;
    const { path, row } = each.operation;
    const key = each.matchOn.map(({ id }) => hashes[index]?.get(id)).join(' ');
    const first = seen.get(key);
    if (first !== undefined) throw repeatedKey(row.path, each.matchOn[0]?.key ?? '', first);
    seen.set(key, path);
  });
}
