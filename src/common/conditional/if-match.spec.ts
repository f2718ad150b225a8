import { AppError } from '../error/app-error';
import { IfMatch } from './if-match';

const holds = (header: string | undefined, etag: string): boolean => {
  try {
    IfMatch.parse(header).require(etag);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'precondition_failed' });
    return false;
  }
};

describe('IfMatch', () => {
  it.each([
    [undefined, true],
    ['*', true],
    [' * ', true],
    ['"a"', true],
    ['"b"', false],
    ['"A"', false],
    ['""', false],
    ['"b", "a"', true],
    ['"b","c"\t,\t"a"', true],
    [', "a",', true],
    ['"a,b"', false],
    ['W/"a"', false],
    ['W/"a", "a"', true],
  ])('%j: "a" meets it: %s', (header, expected) => {
    expect(holds(header, '"a"')).toBe(expected);
  });

  it.each([
    ['"4-1.gzip"', true],
    ['"4-1.br"', true],
    ['"4-1.zstd"', true],
    ['"4-1.deflate"', false],
    ['"4-1.gzip.gzip"', false],
    ['"4-1."', false],
    ['"4-1gzip"', false],
    ['"3-1.gzip"', false],
    ['W/"4-1.gzip"', false],
    ['"3-1.br", "4-1.gzip"', true],
  ])('%j: "4-1" in any of its forms meets it: %s', (header, expected) => {
    expect(holds(header, '"4-1"')).toBe(expected);
  });

  it('takes commas within a tag', () => {
    expect(holds('"x", "a,b"', '"a,b"')).toBe(true);
  });

  it.each(['', ' ', ',', 'a', '"a', 'a"', '"a" "b"', '*, "a"', 'w/"a"', "'a'", '"a b"'])(
    'refuses %j',
    (header) => {
      expect(() => IfMatch.parse(header)).toThrow(AppError);
    },
  );

  it('knows where any version will do', () => {
    expect(IfMatch.parse(undefined).isAny).toBe(true);
    expect(IfMatch.parse('*').isAny).toBe(true);
    expect(IfMatch.parse('"a"').isAny).toBe(false);
  });
});
