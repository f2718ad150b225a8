import { readIcebergSecret, readIcebergSettings } from './iceberg-settings';

const SETTINGS = { uri: 'https://catalog.example', namespace: 'sales' };

const failure = (field: string): unknown =>
  expect.objectContaining({
    details: [expect.objectContaining({ field, code: 'invalid_format' })],
  });

describe('settings of Iceberg', () => {
  it.each(['eu-central-1', 'auto', null])('accept the region %j', (s3Region) => {
    expect(readIcebergSettings({ ...SETTINGS, s3Region })).toMatchObject({ s3Region });
  });

  it.each(['[', 'a/b', 'a.evil.example#', 'A', ''])('reject the region %j', (s3Region) => {
    expect(() => readIcebergSettings({ ...SETTINGS, s3Region })).toThrow(
      failure('settings.s3Region') as Error,
    );
  });
});

describe('a secret of Iceberg', () => {
  const settings = readIcebergSettings({ ...SETTINGS, auth: 'token' });
  const secretOf = (catalog: string): unknown =>
    readIcebergSecret(settings, JSON.stringify({ catalog }));

  it('can have a token', () => {
    expect(secretOf('a.b-c_d~e+f/g=')).toEqual({ catalog: 'a.b-c_d~e+f/g=' });
  });

  it.each(['a\n', 'a b', 'a\r\nHost: b', 'é'])('cannot have the token %j', (token) => {
    expect(() => secretOf(token)).toThrow(failure('secret') as Error);
  });
});
