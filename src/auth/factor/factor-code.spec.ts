import {
  createRecoveryCode,
  hashOfRecoveryCode,
  periodOfCode,
  totpEnrollment,
} from './factor-code';

/** The secret of RFC 6238, appendix B, for SHA-1. */
const SECRET = Buffer.from('12345678901234567890');

describe('a code of an authenticator app', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('is that of RFC 6238 after %i seconds', (seconds, code) => {
    expect(periodOfCode(SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30));
  });

  it.each([-30, 0, 29, 59])('is accepted %i seconds after its period begins', (seconds) => {
    expect(periodOfCode(SECRET, '287082', (30 + seconds) * 1_000)).toBe(1);
  });

  it.each([-31, 60])('is rejected %i seconds after its period begins', (seconds) => {
    expect(periodOfCode(SECRET, '287082', (30 + seconds) * 1_000)).toBeNull();
  });

  it.each(['287 082', ' 287082 ', '２８７０８２'])(
    'is accepted if it is typed as "%s"',
    (typed) => {
      expect(periodOfCode(SECRET, typed, 59_000)).toBe(1);
    },
  );

  it.each(['', '28708', '2870820', 'abcdef', '28708x', '00287082', 'éééééé', '2870é1'])(
    'is not accepted if it is typed as "%s"',
    (code) => {
      expect(periodOfCode(SECRET, code, 59_000)).toBeNull();
    },
  );
});

it('enrolls an app by a URI with the secret, and by the secret in base32', () => {
  expect(totpEnrollment(SECRET, 'ada+x@example.com')).toEqual({
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/Datagrid:ada%2Bx%40example.com?issuer=Datagrid&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  });
});

describe('a recovery code', () => {
  it('has four groups of four characters, and differs in 1,000 calls', () => {
    const codes = Array.from({ length: 1_000 }, () => createRecoveryCode().code);
    for (const code of codes)
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('is the same in capitals, with spaces, and without hyphens', () => {
    const { code, hash } = createRecoveryCode();
    for (const typed of [
      code,
      code.toUpperCase(),
      code.replaceAll('-', ' '),
      code.replaceAll('-', ''),
    ]) {
      expect(hashOfRecoveryCode(typed)).toEqual(hash);
    }
  });

  it.each(['', '123456', 'abcd-efgh-jkmn', 'abcd-efgh-jkmn-pqru', 'abcd-efgh-jkmn-pqrst'])(
    'has no hash if it is typed as "%s"',
    (typed) => {
      expect(hashOfRecoveryCode(typed)).toBeNull();
    },
  );
});
