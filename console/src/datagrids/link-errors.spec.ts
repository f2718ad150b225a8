import { ApiError } from '../api/api-error';
import { linkConflict } from './link-errors';

const ID = '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b61';

const conflict = (message: string, ...details: readonly (readonly [string, string])[]): ApiError =>
  new ApiError(
    409,
    'conflict',
    message,
    details.map(([field, text]) => ({ field, code: 'conflicting_rows', message: text })),
  );

describe('linkConflict', () => {
  it('reads the rows with links that restrict a deletion', () => {
    const error = conflict(
      '2 links to these rows restrict their deletion.',
      ['rows.1', `row 5 of datagrid ${ID} links to it in column airline`],
      ['rows.2', `row 6 of datagrid ${ID}, which is in the trash, links to it`],
    );
    expect(linkConflict(error)).toEqual({
      kind: 'rows',
      links: [
        { target: '1', rowId: '5', datagridId: ID, column: 'airline' },
        { target: '2', rowId: '6', datagridId: ID },
      ],
    });
  });

  it('reads the column that links to a datagrid, and the datagrid in the trash', () => {
    const linked = `Column airline of datagrid ${ID} links to this datagrid. Remove the column first.`;
    const trashed = `Column airline links to datagrid ${ID}, which is in the trash. Restore that first.`;
    const read = { column: 'airline', datagridId: ID };
    expect(linkConflict(conflict(linked))).toEqual({ kind: 'datagrid', ...read });
    expect(linkConflict(conflict(trashed))).toEqual({ kind: 'trashed', ...read });
  });

  it('leaves other errors, and those with a detail that it does not know', () => {
    expect(linkConflict(conflict('Too much.'))).toBeUndefined();
    expect(
      linkConflict(conflict('1 link', ['rows.1', 'a row of another datagrid links to it'])),
    ).toBeUndefined();
    expect(linkConflict(new ApiError(400, 'invalid_request', 'Column a'))).toBeUndefined();
    expect(linkConflict(undefined)).toBeUndefined();
  });
});
