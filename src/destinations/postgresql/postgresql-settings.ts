import type { DestinationSettings } from '../destination-kind';
import { nameOfBytes, readSettings, SERVER_CHECKS, type SettingCheck } from '../settings-reader';

/** Settings of a connection to PostgreSQL. */
export interface PostgresqlSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Schema of the tables. It is created if it does not exist. */
  readonly schema: string;
  /** Whether the connection is encrypted, and the certificate of the server checked. */
  readonly tls: boolean;
  /** Certificates of the authorities that are trusted, as PEM; `null` for the public ones. */
  readonly caCertificate: string | null;
}

const DEFAULT_PORT = 5432;
/** Longest name of an object in PostgreSQL, in bytes. */
const MAX_NAME_BYTES = 63;

const isName = nameOfBytes(MAX_NAME_BYTES);

const CHECKS: Readonly<Record<keyof PostgresqlSettings, SettingCheck>> = {
  host: SERVER_CHECKS.host,
  port: SERVER_CHECKS.port,
  database: isName,
  user: isName,
  schema: (value) =>
    isName(value) ??
    (/^(pg_|information_schema$)/.test(value as string)
      ? 'must not be a schema of the system'
      : null),
  tls: SERVER_CHECKS.tls,
  caCertificate: SERVER_CHECKS.caCertificate,
};

const DEFAULTS = { port: DEFAULT_PORT, schema: 'public', tls: true, caCertificate: null } as const;

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readPostgresqlSettings(given: DestinationSettings): PostgresqlSettings {
  return readSettings<PostgresqlSettings>(given, CHECKS, DEFAULTS);
}
