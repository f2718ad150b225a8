import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** What OWASP asks of scrypt: 128 MiB and some 0.4 s for each hash. */
const COST = { log2N: 17, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** What Node lets a hash use: a little more than it does. */
const MAX_MEMORY = 256 * 1024 * 1024;

/** How often one password is hashed at most to compare it with many that are stored. */
const MAX_SALTS = 4;

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([\w+/]+)\$([\w+/]+)$/;

type Cost = Readonly<Record<keyof typeof COST, number>>;

/**
 * Hashes a password for storing: `$scrypt$ln=17,r=8,p=1$salt$hash`, both in base64 without padding.
 * The costs stand in it, so that later ones can be dearer.
 * @param like A stored hash to share the salt of, so that one hash is enough to check both; `null`
 *   for a new salt.
 */
export async function hashPassword(password: string, like: string | null = null): Promise<string> {
  const prefix = prefixOf(COST, like === null ? randomBytes(SALT_BYTES) : parse(like).salt);
  return prefix + unpadded(await derivePrefixed(password, prefix));
}

/**
 * Those of `stored`, which `hashPassword` has made, that are of this password. Passwords with a
 * common salt cost one hash together, and so do none at all: the time tells nothing of their number.
 */
export async function matchingHashes(
  stored: readonly string[],
  password: string,
): Promise<readonly string[]> {
  const prefixes = new Set(stored.map((each) => parse(each).prefix));
  if (prefixes.size === 0) prefixes.add(prefixOf(COST, randomBytes(SALT_BYTES)));
  const matching: string[] = [];
  for (const prefix of [...prefixes].slice(0, MAX_SALTS)) {
    const derived = await derivePrefixed(password, prefix);
    const candidates = stored.filter((each) => each.startsWith(prefix));
    matching.push(...candidates.filter((each) => isEqual(parse(each).hash, derived)));
  }
  return matching;
}

interface ParsedHash {
  /** All but the hash: costs and salt. */
  readonly prefix: string;
  readonly cost: Cost;
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

function prefixOf({ log2N, r, p }: Cost, salt: Buffer): string {
  return `$scrypt$ln=${String(log2N)},r=${String(r)},p=${String(p)}$${unpadded(salt)}$`;
}

function isEqual(expected: Buffer, derived: Buffer): boolean {
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

async function derivePrefixed(password: string, prefix: string): Promise<Buffer> {
  const { cost, salt } = parse(`${prefix}A`);
  return derive(password, salt, cost);
}

/** Composed and decomposed letters are alike: keyboards differ. */
function derive(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
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
