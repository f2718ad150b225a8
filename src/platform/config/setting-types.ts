import { isIP } from 'node:net';
import { z } from 'zod';

/** Text of a setting in `.env.example` and `docs/operations/settings.md`, as Markdown. */
interface SettingText {
  readonly description: string;
  /** Required for a setting without a default value. */
  readonly unset?: UnsetText | undefined;
}

interface UnsetText {
  /** Text in place of a default value. */
  readonly means: string;
  /** A value for `.env.example`. */
  readonly example: string;
}

export const settingTexts = z.registry<SettingText>();

/** Declares a setting. Without a default, `unset` says what applies and gives an example. */
export function setting<T extends z.ZodType>(type: T, description: string, unset?: UnsetText): T {
  settingTexts.add(type, { description, unset });
  return type;
}

/**
 * Returns whether Node and Express both read `address` as an IPv6 address. An embedded IPv4 address
 * is accepted only in the mapped form (`::ffff:10.0.0.1`).
 */
function isPlainIPv6(address: string): boolean {
  return !address.includes('%') && (!address.includes('.') || /^::ffff:[^:]+$/i.test(address));
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (family === 6 && !isPlainIPv6(address)) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** A comma-separated list of addresses and CIDR ranges, in forms that Express accepts. */
export const addressList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isAddressOrRange), {
    error: 'must be addresses or CIDR ranges, separated by commas',
    abort: true,
  })
  .refine(
    (parts) => !parts.some((part) => /\/0+$/.test(part)),
    'must not hold a range of /0: it would trust every client',
  );

export const positiveInteger = z
  .string()
  .regex(/^[1-9]\d*$/, 'must be a positive integer')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a positive integer below 2^53');

/** A positive integer with a maximum. The error message names the unit. */
function upTo(max: number, unit: string): typeof positiveInteger {
  return positiveInteger.refine(
    (value) => value <= max,
    `must be a number of ${unit} up to ${String(max)}`,
  );
}

/** A time that timers support: below 2^31 ms, about 24 days. Longer timers fire immediately. */
export const seconds = upTo(2_147_483, 'seconds');
/** PostgreSQL's maximum for timeouts. */
export const milliseconds = upTo(2 ** 31 - 1, 'milliseconds');
export const days = upTo(3_650, 'days');
/** A number of days; 0 switches off. */
export const daysOrOff = z
  .string()
  .regex(/^(0|[1-9]\d*)$/, 'must be a number of days, or 0')
  .transform(Number)
  .refine((value) => value <= 3_650, 'must be a number of days up to 3650');
/** Structured fields, such as `RateLimit`, allow integers of up to 15 digits (RFC 9651). */
export const requests = upTo(10 ** 15 - 1, 'requests');
/** The longest string that Node supports has about 512 MB. */
export const pageBytes = upTo(256 * 1024 * 1024, 'bytes');
/** DuckDB cannot load wide rows with less. */
export const duckdbBytes = positiveInteger.refine(
  (value) => value >= 128 * 1024 * 1024,
  'must be a number of bytes of at least 134217728',
);
/** A larger batch would hold a datagrid's lock for too long. */
export const importBatchRows = upTo(50_000, 'rows');
/**
 * PostgreSQL's COPY prints at most 1,664 columns per CSV line, including the columns to sort by.
 */
export const HIGHEST_MAX_COLUMNS = 1_600;
export const columns = upTo(HIGHEST_MAX_COLUMNS, 'columns');

export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port from 0 to 65535');

export const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, {
    error: 'must be a URL that starts with postgres:// or postgresql://',
    abort: true,
  })
  // The URL of a Unix socket has no host.
  .refine(
    (text) => URL.canParse(text.replace('@/', '@host/')),
    'must be a URL, with a port of digits',
  );

export const redisUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^rediss?:\/\/[^/]+(\/\d*)?$/.test(text),
    'must be a URL such as redis://user:password@host:6379/0, or one with rediss://',
  );

/** An origin. The service defines everything after it. */
export const publicUrl = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://data.example.com, with nothing behind it',
  );

export const httpUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text),
    'must be a URL such as http://localhost:4318',
  );

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const logLevel = z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`);

export const onOrOff = z
  .enum(['on', 'off'], 'must be one of on, off')
  .transform((value) => value === 'on');
