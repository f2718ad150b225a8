import { readDryRun } from '../values/body-flag';
import { members, refused, refuseOthers } from '../values/body-members';

/** A request to delete the rows that match a filter. */
export interface DeleteRequest {
  /** Filter that is not yet checked against the columns. */
  readonly filter: unknown;
  /** Maximum number of rows. If more match, none is deleted. `null` means no maximum. */
  readonly maxAffected: number | null;
  /** Whether to count the rows without deleting them. */
  readonly isDryRun: boolean;
}

/**
 * Reads `{ filter, maxAffected?, dryRun? }`. An empty filter matches all rows, so it must be sent
 * explicitly: a body without a filter is rejected.
 * @throws AppError `invalid_request`
 */
export function readDeleteBody(body: unknown): DeleteRequest {
  const object = members(body, 'body');
  refuseOthers(object, ['filter', 'maxAffected', 'dryRun'], '');
  const { filter, maxAffected } = object;
  if (filter === undefined) throw refused('filter', 'required', 'is required; {} matches all rows');
  return {
    filter: members(filter, 'filter'),
    maxAffected: maxAffected === undefined ? null : readMost(maxAffected),
    isDryRun: readDryRun(object),
  };
}

function readMost(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refused('maxAffected', 'wrong_type', 'must be an integer from 0');
}
