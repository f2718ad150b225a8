import { NO_LIMITS, readableDatagrid } from './example-call';

const DATA: Readonly<Record<string, unknown>> = {
  '/workspaces': [{ id: 'w1' }, { id: 'w2' }],
  '/workspaces/w1/datagrids': [{ id: 'd1', name: 'First' }],
  '/workspaces/w2/datagrids': [{ id: 'd2', name: 'Second' }],
  '/workspaces/w3/datagrids': [],
  '/datagrids/d4': { id: 'd4', name: 'Fourth' },
};

const realFetch = globalThis.fetch;

beforeAll(() => {
  globalThis.fetch = (url) => {
    const path = /^\/console\/api\/data([^?]*)/.exec(url as string)?.[1] ?? '';
    return Promise.resolve(Response.json({ data: DATA[path] }));
  };
});

afterAll(() => {
  globalThis.fetch = realFetch;
});

describe('readableDatagrid', () => {
  it.each([
    ['a key without limits', {}, 'd1'],
    ['a key that is limited to a datagrid', { datagridIds: ['d4'] }, 'd4'],
    ['a key that is limited to workspaces', { workspaceIds: ['w3', 'w2'] }, 'd2'],
    ['a key that is limited to an empty workspace', { workspaceIds: ['w3'] }, undefined],
    ['a key of both limits', { workspaceIds: ['w2'], datagridIds: ['d4'] }, 'd4'],
    ['a key that reads rows', { scopes: ['rows:read'] }, 'd1'],
    ['a key that does not read rows', { scopes: ['webhooks:read'] }, undefined],
  ])('finds a datagrid that %s can read, if there is one', async (_name, limits, expected) => {
    const { signal } = new AbortController();
    const found = await readableDatagrid({ ...NO_LIMITS, ...limits }, signal);
    expect(found?.id).toBe(expected);
  });
});
