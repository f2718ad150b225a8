import { sqlLiteral } from './session-settings';

describe('sqlLiteral', () => {
  it.each<[unknown, string, string]>([
    ["'; DROP TABLE rows; --", 'text', "'''; DROP TABLE rows; --'::text"],
    ["\\'", 'text', " E'\\\\'''::text"],
    ['$1', 'text', "'$1'::text"],
    [12, 'bigint', "'12'::bigint"],
    [["a'", '\\', '{}'], 'text[]', "ARRAY['a''', E'\\\\','{}']::text[]"],
    [[], 'text[]', 'ARRAY[]::text[]'],
  ])('quotes %j as %s', (value, type, text) => {
    expect(sqlLiteral(value, type)).toBe(text);
  });

  it('rejects NUL, which would end the statement', () => {
    expect(() => sqlLiteral("a\0'", 'text')).toThrow('NUL');
    expect(() => sqlLiteral(['a\0'], 'text[]')).toThrow('NUL');
  });
});
