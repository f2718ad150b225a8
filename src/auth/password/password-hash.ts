import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** What OWASP asks of scrypt: 128 MiB and some 0.4 s for each hash. */
const COST = { log2N: 17, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** What Node lets a hash use: a little more than it does. */
const MOST_MEMORY = 256 * 1024 * 1024;

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([\w+/]+)\$([\w+/]+)$/;

type Cost = Readonly<Record<keyof typeof COST, number>>;

/**
 * Hashes a password for storing, with a salt of its own: `$scrypt$ln=17,r=8,p=1$salt$hash`, both in
 * base64 without padding. The costs stand in it, so that later ones can be dearer.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const derived = await derive(password, salt, COST);
  const { log2N, r, p } = COST;
  const cost = `ln=${String(log2N)},r=${String(r)},p=${String(p)}`;
  return `$scrypt$${cost}$${unpadded(salt)}$${unpadded(derived)}`;
}

/** Whether `stored`, which `hashPassword` has made, is of this password. */
export async function isPasswordOf(stored: string, password: string): Promise<boolean> {
  const [, log2N, r, p, salt = '', hash = ''] = FORM.exec(stored) ?? [];
  if (hash === '') throw new Error('What is stored is no hash of a password.');
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64'), cost);
  const expected = Buffer.from(hash, 'base64');
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

/** Takes what checking a password takes, of a user who has none: nobody is to tell by the time. */
export async function pretendToCheck(password: string): Promise<void> {
  await derive(password, randomBytes(SALT_BYTES), COST);
}

/** Composed and decomposed letters are alike: keyboards differ. */
function derive(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const options = { N: 2 ** log2N, r, p, maxmem: MOST_MEMORY };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, derived) => {
      if (error) reject(error);
      else resolve(derived);
    });
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
