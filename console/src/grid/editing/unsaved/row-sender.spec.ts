import { ApiError } from '../../../api/api-error';
import { fieldsOf, outcomeOf } from './row-sender';

const NOBODY = (): Promise<null> => Promise.reject(new Error('not asked'));
const failure = (status: number, code: string): ApiError => new ApiError(status, code, 'No.');

describe('outcomeOf', () => {
  it('returns unknown if the change may have been applied or may succeed later', async () => {
    for (const error of [
      failure(0, 'unreachable'),
      failure(503, 'unavailable'),
      failure(500, 'internal'),
      failure(429, 'rate_limited'),
      failure(401, 'unauthenticated'),
      failure(409, 'idempotency_key_in_use'),
      new TypeError('broken'),
    ]) {
      expect(await outcomeOf(error, NOBODY)).toMatchObject({ kind: 'unknown' });
    }
  });

  it('returns the current row if it was changed or deleted', async () => {
    const theirs = { id: 1, values: {}, revision: 2, schemaVersion: 1 };
    const moved = failure(412, 'precondition_failed');
    expect(await outcomeOf(moved, () => Promise.resolve(theirs))).toEqual({
      kind: 'outdated',
      theirs,
    });
    expect(await outcomeOf(failure(404, 'not_found'), () => Promise.resolve(null))).toEqual({
      kind: 'outdated',
      theirs: null,
    });
    expect(await outcomeOf(moved, NOBODY)).toMatchObject({ kind: 'unknown' });
  });

  it('returns the message of the service, by column if possible', async () => {
    const error = new ApiError(400, 'invalid_request', 'values.size: must be an integer', [
      { field: 'values.size', code: 'wrong_type', message: 'must be an integer' },
      { field: 'values.tags.2', code: 'not_a_choice', message: 'must be a choice' },
      { field: 'values', code: 'too_large', message: 'too large' },
    ]);
    expect(await outcomeOf(error, NOBODY)).toEqual({
      kind: 'rejected',
      message: 'values.size: must be an integer',
      fields: new Map([
        ['size', 'must be an integer'],
        ['tags', 'must be a choice'],
      ]),
    });
  });

  it('reads the fields of a list of rows, too', () => {
    const error = new ApiError(409, 'conflict', 'taken', [
      { field: 'rows.0.values.iata', code: 'duplicate', message: 'must be unique' },
    ]);
    expect(fieldsOf(error)).toEqual(new Map([['iata', 'must be unique']]));
  });
});
