import type { DestinationSettings } from '../destination-kind';
import { nameOfBytes, readSettings, type SettingCheck } from '../settings-reader';

/** How a user proves who it is: the secret is a private key, a programmatic access token or a password. */
export const AUTHENTICATIONS = ['keyPair', 'token', 'password'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

/** Settings of a connection to Snowflake. */
export interface SnowflakeSettings {
  /** Account identifier, as `myorg-myaccount` or `xy12345.eu-central-1`. */
  readonly account: string;
  readonly user: string;
  readonly authentication: Authentication;
  /** Role of the session; `null` for the default role of the user. */
  readonly role: string | null;
  readonly warehouse: string;
  /** Database and schema of the tables. They must exist. */
  readonly database: string;
  readonly schema: string;
  /**
   * URL of an emulator, with plain HTTP, which requires a private address that the operator allows;
   * `null` for the host of the account.
   */
  readonly url: string | null;
}

const DOMAIN = 'snowflakecomputing.com';
const MAX_URL_LENGTH = 300;
/** Longest name of an object in Snowflake. */
const MAX_NAME_BYTES = 255;

const isName = nameOfBytes(MAX_NAME_BYTES);
const LABEL = String.raw`[a-z\d](?:[a-z\d_-]{0,61}[a-z\d])?`;
const ACCOUNT = new RegExp(`^${LABEL}(?:\\.${LABEL}){0,3}$`, 'i');

const CHECKS: Readonly<Record<keyof SnowflakeSettings, SettingCheck>> = {
  account: (value) =>
    typeof value === 'string' && ACCOUNT.test(value)
      ? null
      : 'must be an account identifier, such as myorg-myaccount',
  user: isName,
  authentication: (value) =>
    AUTHENTICATIONS.some((known) => known === value)
      ? null
      : `must be one of: ${AUTHENTICATIONS.join(', ')}`,
  role: (value) => (value === null ? null : isName(value)),
  warehouse: isName,
  database: isName,
  schema: isName,
  url: (value) =>
    value === null || isEmulator(value)
      ? null
      : 'must be null or the URL of an emulator, such as http://127.0.0.1:8085',
};

const DEFAULTS = {
  authentication: 'keyPair',
  role: null,
  schema: 'PUBLIC',
  url: null,
} as const;

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readSnowflakeSettings(given: DestinationSettings): SnowflakeSettings {
  return readSettings<SnowflakeSettings>(given, CHECKS, DEFAULTS);
}

function isEmulator(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || !URL.canParse(value)) {
    return false;
  }
  const url = new URL(value);
  // Without a path, a query or credentials.
  return url.protocol === 'http:' && url.href === `${url.origin}/`;
}

/** Returns the URL to which all statements go. */
export function urlOf({ account, url }: SnowflakeSettings): URL {
  // Names of hosts have no underscores.
  const name = account.toLowerCase().replaceAll('_', '-');
  return new URL(url ?? `https://${name}.${DOMAIN}`);
}
