import { readDryRun } from '../values/body-flag';
import { members, refused, refuseOthers } from '../values/body-members';

/** Which rows are to be deleted. */
export interface DeleteRequest {
  /** Not yet checked against the columns. */
  readonly filter: unknown;
  /** Where more would go, none does; `null` where any number may. */
  readonly maxAffected: number | null;
  /** Whether to count only. */
  readonly isDryRun: boolean;
}

/**
 * Reads `{ filter, maxAffected?, dryRun? }`. An empty filter means all rows, and so must be sent:
 * where there is none, nothing is meant.
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
