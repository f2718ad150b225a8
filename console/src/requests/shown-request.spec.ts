import { colorOf, durationText, pathOf } from './shown-request';

describe('a request in the log', () => {
  it('has its route without the base path, and with parameters as in the API reference', () => {
    expect(pathOf('/api/v1/public/datagrids/:datagridId/rows/:id')).toBe(
      '/datagrids/{datagridId}/rows/{id}',
    );
  });

  it('has a duration in milliseconds or seconds', () => {
    const shown = [0.42, 12.34, 999, 1_000, 61_500].map(durationText);
    expect(shown).toEqual(['0.42 ms', '12.3 ms', '999 ms', '1 s', '61.5 s']);
  });

  it('has the color of its status class', () => {
    expect([201, 304, 404, 503, null].map(colorOf)).toEqual([
      'green',
      'gray',
      'yellow',
      'red',
      'gray',
    ]);
  });
});
