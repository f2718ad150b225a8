import { hashPassword, matchingHashes } from './password-hash';

const PASSWORD = 'correct horse battery staple';

const isPasswordOf = async (stored: string, password: string): Promise<boolean> =>
  (await matchingHashes([stored], password)).length === 1;

describe('hashPassword', () => {
  it('uses a new salt each time and matches only its own password', async () => {
    const [one, two] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
    expect(one).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await isPasswordOf(one, PASSWORD)).toBe(true);
    expect(await isPasswordOf(two, PASSWORD)).toBe(true);
    expect(await isPasswordOf(one, `${PASSWORD} `)).toBe(false);
  });

  it('treats composed and decomposed letters as equal', async () => {
    const stored = await hashPassword('Zürich-Zürich'.normalize('NFD'));
    expect(await isPasswordOf(stored, 'Zürich-Zürich'.normalize('NFC'))).toBe(true);
  });
});

describe('matchingHashes', () => {
  it('uses the stored costs and matches the vector of RFC 7914, section 12', async () => {
    const hash = Buffer.from(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2',
      'hex',
    );
    // The test vector has 64 bytes. PBKDF2 computes the first 32 independently of the rest.
    const [salt, derived] = [Buffer.from('SodiumChloride'), hash].map((bytes) =>
      bytes.toString('base64').replace(/=+$/, ''),
    );
    const stored = `$scrypt$ln=14,r=8,p=1$${salt}$${derived}`;
    expect(await isPasswordOf(stored, 'pleaseletmein')).toBe(true);
    expect(await isPasswordOf(stored, 'pleaseletmeout')).toBe(false);
  });

  it('returns every hash of the password, for one salt or several', async () => {
    const first = await hashPassword(PASSWORD);
    const [same, wrong] = [await hashPassword(PASSWORD, first), await hashPassword('x', first)];
    const other = await hashPassword(PASSWORD);
    expect(same).toBe(first);
    expect(wrong.slice(0, -43)).toBe(first.slice(0, -43));
    expect(await matchingHashes([wrong, first, other], PASSWORD)).toEqual([first, other]);
    expect(await matchingHashes([], PASSWORD)).toEqual([]);
  });

  it('throws if a stored value is not a hash', async () => {
    await expect(isPasswordOf('', '')).rejects.toThrow('no hash');
  });
});
