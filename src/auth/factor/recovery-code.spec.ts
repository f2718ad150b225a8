import { createRecoveryCode, hashOfRecoveryCode } from './recovery-code';

describe('a recovery code', () => {
  it('has four groups of four digits, and is never the same twice', () => {
    const codes = Array.from({ length: 1_000 }, createRecoveryCode);
    for (const code of codes)
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('is the same in capitals, with spaces, and without hyphens', () => {
    const code = createRecoveryCode();
    const hash = hashOfRecoveryCode(code);
    expect(hash).not.toBeNull();
    for (const typed of [code.toUpperCase(), code.replaceAll('-', ' '), code.replaceAll('-', '')]) {
      expect(hashOfRecoveryCode(typed)).toEqual(hash);
    }
  });

  it.each(['', '123456', 'abcd-efgh-jkmn', 'abcd-efgh-jkmn-pqru', 'abcd-efgh-jkmn-pqrst'])(
    'is not "%s"',
    (typed) => {
      expect(hashOfRecoveryCode(typed)).toBeNull();
    },
  );
});
