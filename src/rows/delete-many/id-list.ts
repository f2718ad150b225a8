import { invalidField } from '../../common/error/app-error';
import { members, readDryRun, rejectOthers } from '../values/row-values';

/** Each byte holds seven bits of a number. The eighth bit marks that more bytes follow. */
const BASE = 0x80;

/**
 * A compact list of ids in ascending order, at one or two bytes each. A filter can match millions
 * of rows, and an array of their ids would take eight times the memory.
 */
export class IdList {
  count = 0;
  private last = 0;
  private readonly parts: Uint8Array[] = [];

  /** @param ids Ids in ascending order, all greater than those already in the list. */
  append(ids: readonly number[]): void {
    const bytes: number[] = [];
    for (const id of ids) {
      let rest = id - this.last;
      this.last = id;
      for (; rest >= BASE; rest = Math.floor(rest / BASE)) bytes.push((rest % BASE) + BASE);
      bytes.push(rest);
    }
    this.parts.push(Uint8Array.from(bytes));
    this.count += ids.length;
  }

  /** Yields all ids in order, in arrays of `size`. The last array can be shorter. */
  *chunks(size: number): Generator<number[]> {
    let chunk: number[] = [];
    let id = 0;
    let unit = 1;
    for (const part of this.parts) {
      for (const byte of part) {
        id += (byte % BASE) * unit;
        unit *= BASE;
        if (byte >= BASE) continue;
        unit = 1;
        chunk.push(id);
        if (chunk.length < size) continue;
        yield chunk;
        chunk = [];
      }
    }
    if (chunk.length > 0) yield chunk;
  }
}

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
  rejectOthers(object, ['filter', 'maxAffected', 'dryRun'], '');
  const { filter, maxAffected } = object;
  if (filter === undefined)
    throw invalidField('filter', 'required', 'is required; {} matches all rows');
  return {
    filter: members(filter, 'filter'),
    maxAffected: maxAffected === undefined ? null : readMost(maxAffected),
    isDryRun: readDryRun(object),
  };
}

function readMost(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidField('maxAffected', 'wrong_type', 'must be an integer from 0');
}
