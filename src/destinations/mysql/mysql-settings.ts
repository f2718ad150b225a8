import { isIP } from 'node:net';
import { invalidField } from '../../common/error/app-error';
import type { DestinationSettings } from '../destination-kind';
import { nameOfBytes, readSettings, SERVER_CHECKS, type SettingCheck } from '../settings-reader';

/** Settings of a connection to MySQL or MariaDB. */
export interface MysqlSettings {
  /** A name if `tls` is true, because certificates are checked for it. */
  readonly host: string;
  readonly port: number;
  /** Database of the tables. It must exist. */
  readonly database: string;
  readonly user: string;
  /** Whether the connection is encrypted, and the certificate of the server checked. */
  readonly tls: boolean;
  /** Certificates of the authorities that are trusted, as PEM; `null` for the public ones. */
  readonly caCertificate: string | null;
}

const DEFAULT_PORT = 3306;
/** Longest name of an object in MySQL, which counts characters. */
const MAX_NAME_BYTES = 64;
const MAX_USER_BYTES = 128;

const isName = nameOfBytes(MAX_NAME_BYTES);

const CHECKS: Readonly<Record<keyof MysqlSettings, SettingCheck>> = {
  host: SERVER_CHECKS.host,
  port: SERVER_CHECKS.port,
  database: (value) =>
    isName(value) ??
    (/^(mysql|sys|information_schema|performance_schema)$/i.test(value as string)
      ? 'must not be a database of the system'
      : null),
  user: nameOfBytes(MAX_USER_BYTES),
  tls: SERVER_CHECKS.tls,
  caCertificate: SERVER_CHECKS.caCertificate,
};

const DEFAULTS = { port: DEFAULT_PORT, tls: true, caCertificate: null } as const;

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readMysqlSettings(given: DestinationSettings): MysqlSettings {
  const settings = readSettings<MysqlSettings>(given, CHECKS, DEFAULTS);
  if (settings.tls && isIP(settings.host) !== 0) {
    const message = 'must be a host name with TLS, because the certificate is checked for it';
    throw invalidField('settings.host', 'invalid_format', message);
  }
  return settings;
}
