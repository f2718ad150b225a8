import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** Cost of a hash by scrypt: it takes 128 · 2^log2N · r bytes, and p times as long. */
export type HashCost = Readonly<Record<'log2N' | 'r' | 'p', number>>;

/** What OWASP recommends: 128 MiB and about 0.4 s per hash. */
export const RECOMMENDED_COST: HashCost = { log2N: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Memory limit of Node.js for one hash, in bytes. A hash needs half of it. */
const MAX_MEMORY = 256 * 1024 * 1024;

/** Maximum number of times one password is hashed to compare it with stored hashes. */
const MAX_SALTS = 4;

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([\w+/]+)\$([\w+/]+)$/;

/**
 * Hashes a password for storage: `$scrypt$ln=17,r=8,p=1$salt$hash`, with salt and hash in base64
 * without padding. The result includes the cost, so that it can be raised later.
 * @param like A stored hash whose salt is reused, so that one hash is enough to check both; `null`
 *   for a new salt.
 * @param cost Cost of the new hash.
 */
export async function hashPassword(
  password: string,
  like: string | null = null,
  cost = RECOMMENDED_COST,
): Promise<string> {
  const prefix = prefixOf(cost, like === null ? randomBytes(SALT_BYTES) : parse(like).salt);
  return prefix + unpadded(await derivePrefixed(password, prefix));
}

/**
 * Returns those of the `stored` hashes (made by `hashPassword`) that match this password. Hashes
 * with a common salt cost one hash together, and an empty list costs one as well, so that the
 * duration does not reveal their number.
 * @param cost Cost of the hash for an empty list.
 */
export async function matchingHashes(
  stored: readonly string[],
  password: string,
  cost = RECOMMENDED_COST,
): Promise<readonly string[]> {
  const prefixes = new Set(stored.map((each) => parse(each).prefix));
  if (prefixes.size === 0) prefixes.add(prefixOf(cost, randomBytes(SALT_BYTES)));
  const matching: string[] = [];
  for (const prefix of [...prefixes].slice(0, MAX_SALTS)) {
    const derived = await derivePrefixed(password, prefix);
    const candidates = stored.filter((each) => each.startsWith(prefix));
    matching.push(...candidates.filter((each) => isEqual(parse(each).hash, derived)));
  }
  return matching;
}

interface ParsedHash {
  /** Cost and salt: everything before the hash. */
  readonly prefix: string;
  readonly cost: HashCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

function parse(text: string): ParsedHash {
  const [, log2N, r, p, salt = '', hash = ''] = FORM.exec(text) ?? [];
  if (hash === '') throw new Error('What is stored is no hash of a password.');
  return {
    prefix: text.slice(0, -hash.length),
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function prefixOf({ log2N, r, p }: HashCost, salt: Buffer): string {
  return `$scrypt$ln=${String(log2N)},r=${String(r)},p=${String(p)}$${unpadded(salt)}$`;
}

function isEqual(expected: Buffer, derived: Buffer): boolean {
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

async function derivePrefixed(password: string, prefix: string): Promise<Buffer> {
  const { cost, salt } = parse(`${prefix}A`);
  return derive(password, salt, cost);
}

/** Normalizes composed and decomposed characters, because keyboards differ. */
function derive(password: string, salt: Buffer, { log2N, r, p }: HashCost): Promise<Buffer> {
  const options = { N: 2 ** log2N, r, p, maxmem: MAX_MEMORY };
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
