import type { DestinationSettings } from '../destination-kind';
import { readSettings, SERVER_CHECKS, type SettingCheck } from '../settings-reader';

/** Settings of a connection to a directory of the server. */
export interface DirectorySettings {
  readonly storage: 'directory';
  /** Name of the directory, in that of the account. */
  readonly directory: string;
}

/** Settings of a connection to a bucket of S3, or of a server that is compatible with it. */
export interface S3Settings {
  readonly storage: 's3';
  readonly bucket: string;
  readonly region: string;
  /** URL of a server that is compatible with S3; `null` for AWS. */
  readonly endpoint: string | null;
  /** Beginning of all keys, without a slash at the end; empty for none. */
  readonly prefix: string;
  readonly accessKeyId: string;
  /** Certificates of the authorities that are trusted, as PEM; `null` for the public ones. */
  readonly caCertificate: string | null;
}

export type ParquetSettings = DirectorySettings | S3Settings;

const MAX_URL_LENGTH = 300;

/** Returns a check of a text by a pattern. */
const matches =
  (pattern: RegExp, message: string): SettingCheck =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? null : message;

const storage = matches(/^(directory|s3)$/, 'must be "directory" or "s3"');

const DIRECTORY_CHECKS: Readonly<Record<keyof DirectorySettings, SettingCheck>> = {
  storage,
  directory: matches(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    'must be 1 to 64 characters of a-z, 0-9, "_" and "-", the first one a letter or digit',
  ),
};

const S3_CHECKS: Readonly<Record<keyof S3Settings, SettingCheck>> = {
  storage,
  bucket: matches(
    /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket: 3 to 63 characters of a-z, 0-9, "." and "-"',
  ),
  region: matches(/^[a-z0-9-]{1,40}$/, 'must be the name of a region, such as eu-central-1'),
  endpoint: (value) =>
    value === null || (typeof value === 'string' && isOrigin(value))
      ? null
      : 'must be null or the URL of a server without a path, such as https://s3.example.com:9000',
  prefix: (value) =>
    value === '' || (typeof value === 'string' && isPrefix(value))
      ? null
      : 'must be up to 300 characters of letters, digits, "_", "-", ".", "=" and "/", which separates names',
  accessKeyId: matches(/^[\w+=/.-]{1,128}$/, 'must be 1 to 128 letters, digits or "_+=/.-"'),
  caCertificate: SERVER_CHECKS.caCertificate,
};

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readParquetSettings(given: DestinationSettings): ParquetSettings {
  if (given['storage'] !== 's3') {
    return readSettings<DirectorySettings>(given, DIRECTORY_CHECKS, {});
  }
  return readSettings<S3Settings>(given, S3_CHECKS, {
    endpoint: null,
    prefix: '',
    caCertificate: null,
  });
}

function isPrefix(text: string): boolean {
  const names = text.split('/');
  return /^[\w./=-]{1,300}$/.test(text) && !names.some((name) => /^\.{0,2}$/.test(name));
}

function isOrigin(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return false;
  const { protocol, origin, username } = new URL(text);
  return (
    /^https?:$/.test(protocol) && username === '' && (text === origin || text === `${origin}/`)
  );
}
