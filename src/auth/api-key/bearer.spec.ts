import { readBearerToken } from './bearer';

describe('readBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER a-b._~+/9==', 'a-b._~+/9=='],
    [`Bearer ${'a'.repeat(505)}`, 'a'.repeat(505)],
  ])('reads %j', (header, token) => {
    expect(readBearerToken(header)).toBe(token);
  });
});

describe('a malformed Authorization header', () => {
  it.each([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['Bearer  abc'],
    ['Bearer\tabc'],
    [' Bearer abc'],
    ['Bearer abc '],
    ['Bearer abc\n'],
    ['Bearer abc def'],
    ['Bearer abc, Bearer def'],
    ['Bearer abc,def'],
    ['Bearer a=b'],
    ['Bearerabc'],
    ['Basic YTpi'],
    ['abc'],
    [`Bearer ${'a'.repeat(506)}`],
    [`Bearer ${'a'.repeat(8_192)}`],
  ])('contains no key: %j', (header) => {
    expect(readBearerToken(header)).toBeNull();
  });
});
