import { ApiError } from '../../api/api-error';
import { dataRequest } from '../../api/data';
import { addChoice } from './add-choice';

jest.mock('../../api/data', () => ({ dataRequest: jest.fn() }));
jest.mock('../datagrid-calls', () => ({ datagridPath: (id: string) => `/datagrids/${id}` }));

const request = jest.mocked(dataRequest);

const CHANGED = new ApiError(412, 'precondition_failed', 'The column has changed.');

/** Serves a column whose choices others change before the first writes. */
function serve(versions: readonly (readonly string[])[]): void {
  let at = 0;
  request.mockImplementation((method) => {
    const choices = versions[at];
    if (method === 'GET') {
      return Promise.resolve({ data: { options: { choices } }, etag: `"v${at}"` } as never);
    }
    if (at < versions.length - 1) {
      at += 1;
      return Promise.reject(CHANGED);
    }
    return Promise.resolve({} as never);
  });
}

const writes = (): unknown[] =>
  request.mock.calls.filter(([method]) => method === 'PATCH').map(([, , options]) => options);

beforeEach(() => {
  request.mockReset();
});

describe('addChoice', () => {
  it('appends the choice to the version that it has read', async () => {
    serve([['a', 'b']]);
    await addChoice('1', 'size', 'c');
    expect(request.mock.calls[0]).toEqual(['GET', '/datagrids/1/columns/size']);
    expect(writes()).toEqual([
      { body: { options: { choices: ['a', 'b', 'c'] } }, ifMatch: '"v0"' },
    ]);
  });

  it('keeps the choices that somebody else adds at the same time', async () => {
    serve([['a'], ['a', 'theirs']]);
    await addChoice('1', 'size', 'mine');
    expect(writes()).toEqual([
      { body: { options: { choices: ['a', 'mine'] } }, ifMatch: '"v0"' },
      { body: { options: { choices: ['a', 'theirs', 'mine'] } }, ifMatch: '"v1"' },
    ]);
  });

  it('changes nothing if the column has the choice', async () => {
    serve([['a']]);
    await addChoice('1', 'size', 'a');
    expect(writes()).toEqual([]);
  });

  it('gives up if the column changes before each of five attempts', async () => {
    serve(Array.from({ length: 9 }, () => ['a']));
    await expect(addChoice('1', 'size', 'b')).rejects.toBe(CHANGED);
    expect(writes()).toHaveLength(5);
  });
});
