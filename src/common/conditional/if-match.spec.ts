import { AppError } from '../error/app-error';
import { extendedEtag, IfMatch, IfNoneMatch } from './if-match';

const matches = (header: string | undefined, etag: string): boolean => {
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
  ])('parses %j and reports whether the ETag "a" matches: %s', (header, expected) => {
    expect(matches(header, '"a"')).toBe(expected);
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
  ])('parses %j and reports whether "4-1" matches in any encoding: %s', (header, expected) => {
    expect(matches(header, '"4-1"')).toBe(expected);
  });

  it.each([
    ['"4-1~aB_-9"', true],
    ['"4-1~aB_-9.gzip"', true],
    ['"4-1~a~b"', true],
    ['"4-1~a~b.br"', true],
    ['"5-1~a"', false],
    ['"4-1~a.deflate"', false],
    ['W/"4-1~a"', false],
    ['"5-1~a", "4-1~b"', true],
  ])(
    'parses %j and reports whether "4-1" matches, without what was added: %s',
    (header, expected) => {
      expect(matches(header, '"4-1"')).toBe(expected);
    },
  );

  it('ignores exactly what extendedEtag adds', () => {
    const tag = extendedEtag(extendedEtag('"4-1"', 'aB'), 'c_-');
    expect(tag).toBe('"4-1~aB~c_-"');
    expect(matches(tag, '"4-1"')).toBe(true);
  });

  it('accepts commas within a tag', () => {
    expect(matches('"x", "a,b"', '"a,b"')).toBe(true);
  });

  it.each(['', ' ', ',', 'a', '"a', 'a"', '"a" "b"', '*, "a"', 'w/"a"', "'a'", '"a b"'])(
    'rejects %j',
    (header) => {
      expect(() => IfMatch.parse(header)).toThrow(AppError);
    },
  );

  it.each([
    [undefined, '*', false],
    [undefined, '"a"', false],
    [undefined, 'W/"a"', false],
    [undefined, '"b", "a.gzip"', false],
    [undefined, '"a~x"', false],
    [undefined, '"b"', true],
    [undefined, '"aW/"', true],
    ['"a"', '"b"', true],
    ['"a"', '"a"', false],
    ['"b"', '"b"', false],
    ['*', '*', false],
  ])(
    'checks both If-Match %j and If-None-Match %j for the ETag "a": %s',
    (match, none, expected) => {
      const condition = IfMatch.parse(match, none);
      const check = expect(() => {
        condition.require('"a"');
      });
      if (expected) check.not.toThrow();
      else check.toThrow(AppError);
      expect(condition.isAny).toBe(false);
    },
  );

  it('excludes a version whose ETag also depends on other values', () => {
    const condition = IfMatch.parse(undefined, 'W/"4-x"');
    expect(() => {
      condition.requireVersion(4);
    }).toThrow('The resource exists, and its ETag matches If-None-Match.');
    condition.requireVersion(5);
    condition.requireMissing();
  });

  it.each(['', 'a', '"a" "b"', '*, "a"'])('rejects If-None-Match %j of a write', (header) => {
    expect(() => IfMatch.parse(undefined, header)).toThrow('If-None-Match: must be *');
  });

  it('accepts any version only if the header is missing or *', () => {
    expect(IfMatch.parse(undefined).isAny).toBe(true);
    expect(IfMatch.parse('*').isAny).toBe(true);
    expect(IfMatch.parse('"a"').isAny).toBe(false);
  });
});

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
  ])('finds the ETag that %j lists for "4-1": %s', (header, expected) => {
    expect(new IfNoneMatch(header, ['br', 'identity']).find('"4-1"')).toBe(expected);
  });
});
