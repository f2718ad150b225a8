import { isFiltered, readFilter, withFilter } from './request-filter';

const KEY = '019aa2f4-0000-7000-8000-000000000000';

describe('the filters of the request log', () => {
  it('are read from the URL', () => {
    const search = new URLSearchParams({ key: KEY, status: '4xx', method: 'POST', other: 'x' });
    expect(readFilter(search)).toEqual({ key: KEY, status: '4xx', method: 'POST' });
  });

  it('leave out values that the service rejects', () => {
    const filter = readFilter(new URLSearchParams({ key: 'x', status: '404', method: 'get' }));
    expect(filter).toEqual({});
    expect(isFiltered(filter)).toBe(false);
  });

  it('are set and removed one by one', () => {
    const filter = readFilter(new URLSearchParams({ key: KEY, status: '4xx' }));
    expect(isFiltered(filter)).toBe(true);
    expect(withFilter(filter, 'status', '5xx')).toEqual({ key: KEY, status: '5xx' });
    expect(withFilter(filter, 'method', 'GET')).toEqual({ key: KEY, status: '4xx', method: 'GET' });
    expect(withFilter(filter, 'key', '')).toEqual({ status: '4xx' });
  });
});
