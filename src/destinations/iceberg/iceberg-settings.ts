import { z } from 'zod';
import { invalidField } from '../../common/error/app-error';
import type { DestinationSettings } from '../destination-kind';
import { nameOfBytes, readSettings, SERVER_CHECKS, type SettingCheck } from '../settings-reader';

/** How a request to the catalog is authenticated. */
const AUTHS = ['none', 'token', 'oauth2'] as const;

/** Settings of a connection to tables of Apache Iceberg. */
export interface IcebergSettings {
  /** URL of the REST catalog, without `/v1`. */
  readonly uri: string;
  /** Name or location of the warehouse, if the catalog has several; otherwise `null`. */
  readonly warehouse: string | null;
  /** Namespace of the tables. A dot separates its parts. It is created if it does not exist. */
  readonly namespace: string;
  /** `token`: a bearer token; `oauth2`: client credentials. */
  readonly auth: (typeof AUTHS)[number];
  readonly clientId: string | null;
  readonly scope: string | null;
  /** URL that gives tokens; `null` for that of the catalog. */
  readonly oauthUri: string | null;
  /** URL of a server that is compatible with S3; `null` for the catalog's, or AWS. */
  readonly s3Endpoint: string | null;
  readonly s3Region: string | null;
  /** `null` if the catalog gives temporary credentials. */
  readonly accessKeyId: string | null;
  /** Certificates of the authorities that are trusted, as PEM; `null` for the public ones. */
  readonly caCertificate: string | null;
}

/** Secrets of a connection, as a JSON object in the text of its secret. */
export interface IcebergSecret {
  /** Bearer token, or secret of the OAuth client. */
  readonly catalog?: string | undefined;
  /** Secret access key of S3. */
  readonly s3?: string | undefined;
}

const MAX_URL_LENGTH = 2_000;
const MAX_NAME_BYTES = 200;
const MAX_TEXT_BYTES = 1_000;

const isName = nameOfBytes(MAX_NAME_BYTES);
const isText = nameOfBytes(MAX_TEXT_BYTES);

const orNull =
  (check: SettingCheck): SettingCheck =>
  (value) =>
    value === null ? null : check(value);

const isUrl: SettingCheck = (value) => {
  const message = 'must be a URL with https or http, without user, query and fragment';
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || !URL.canParse(value)) {
    return message;
  }
  const { protocol, username, password, search, hash } = new URL(value);
  const isHttp = protocol === 'https:' || protocol === 'http:';
  return isHttp && username + password + search + hash === '' ? null : message;
};

const isOrigin: SettingCheck = (value) => {
  const message = 'must be a URL without a path';
  return isUrl(value) ?? (new URL(value as string).pathname === '/' ? null : message);
};

/** Form of a part of a header. */
const PRINTABLE = /^[\x21-\x7E]+$/;

const isPrintable: SettingCheck = (value) =>
  isName(value) ??
  (PRINTABLE.test(value as string) ? null : 'must have printable ASCII characters only');

/** A part of the host name of Amazon S3. */
const isRegion: SettingCheck = (value) =>
  typeof value === 'string' && /^[a-z0-9-]{1,40}$/.test(value)
    ? null
    : 'must be the name of a region, such as eu-central-1';

const CHECKS: Readonly<Record<keyof IcebergSettings, SettingCheck>> = {
  uri: isUrl,
  warehouse: orNull(isText),
  namespace: (value) =>
    isName(value) ??
    (/^[^.\p{C}]+(?:\.[^.\p{C}]+)*$/u.test(value as string)
      ? null
      : 'must be names that are separated by dots'),
  auth: (value) =>
    (AUTHS as readonly unknown[]).includes(value) ? null : `must be one of: ${AUTHS.join(', ')}`,
  clientId: orNull(isText),
  scope: orNull(isText),
  oauthUri: orNull(isUrl),
  s3Endpoint: orNull(isOrigin),
  s3Region: orNull(isRegion),
  accessKeyId: orNull(isPrintable),
  caCertificate: SERVER_CHECKS.caCertificate,
};

const DEFAULTS: Partial<IcebergSettings> = {
  warehouse: null,
  auth: 'none',
  clientId: null,
  scope: null,
  oauthUri: null,
  s3Endpoint: null,
  s3Region: null,
  accessKeyId: null,
  caCertificate: null,
};

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readIcebergSettings(given: DestinationSettings): IcebergSettings {
  const settings = readSettings<IcebergSettings>(given, CHECKS, DEFAULTS);
  if (settings.auth === 'oauth2' && settings.clientId === null) {
    throw invalidField('settings.clientId', 'required', 'is required with "auth": "oauth2"');
  }
  return { ...settings, uri: settings.uri.replace(/\/+(?:v1\/*)?$/, '') };
}

const secretParts = z.strictObject({
  catalog: z.string().min(1).optional(),
  s3: z.string().min(1).optional(),
});

/**
 * Reads the secrets of a connection: those that the settings need, and no others.
 * @throws AppError `invalid_request`
 */
export function readIcebergSecret(
  { auth, accessKeyId }: IcebergSettings,
  secret: string | null,
): IcebergSecret {
  const needed = [
    ...(auth === 'none' ? [] : ['catalog' as const]),
    ...(accessKeyId === null ? [] : ['s3' as const]),
  ];
  const parsed = secretParts.safeParse(secret === null ? {} : parse(secret));
  const given = parsed.success ? parsed.data : {};
  const names = Object.keys(given);
  const isRight = names.length === needed.length && needed.every((name) => names.includes(name));
  if (parsed.success && isRight) {
    if (auth === 'token' && !PRINTABLE.test(given.catalog ?? '')) {
      const message = 'must have a token without spaces, line breaks and non-ASCII characters';
      throw invalidField('secret', 'invalid_format', message);
    }
    return given;
  }
  const form = needed.map((name) => `"${name}": "…"`).join(', ');
  const message =
    needed.length === 0
      ? 'must not be sent with these settings'
      : `must be a JSON object as text: {${form}}`;
  throw invalidField('secret', 'invalid_format', message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
