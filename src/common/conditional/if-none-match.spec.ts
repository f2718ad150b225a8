import { IfNoneMatch } from './if-none-match';

describe('IfNoneMatch', () => {
  it.each([
    ['"4-1"', '"4-1"'],
    ['W/"4-1"', '"4-1"'],
    [' "3-1" ,"4-1"', '"4-1"'],
    ['*', '"4-1"'],
    [' * ', '"4-1"'],
    ['"4-1.br"', '"4-1.br"'],
    ['W/"4-1.br"', '"4-1.br"'],
    ['"4-1", "4-1.br"', '"4-1.br"'],
    ['"4-1.br", "4-1"', '"4-1.br"'],
    // The client does not accept this encoding.
    ['"4-1.gzip"', undefined],
    ['"3-1"', undefined],
    ['"3-1.br"', undefined],
    ['"4-1.br.br"', undefined],
    ['4-1', undefined],
    ['', undefined],
    ['"4-1', undefined],
  ])('%j knows "4-1" as %s', (header, expected) => {
    expect(new IfNoneMatch(header, ['br', 'identity']).find('"4-1"')).toBe(expected);
  });
});
