import type { DestinationSettings } from '../destination-kind';
import { nameOfBytes, readSettings, SERVER_CHECKS, type SettingCheck } from '../settings-reader';

/** Settings of a connection to ClickHouse. */
export interface ClickhouseSettings {
  readonly host: string;
  /** Port of the HTTP interface. Default: 8443 with TLS, 8123 without. */
  readonly port: number;
  /** Database of the tables. It must exist. */
  readonly database: string;
  readonly user: string;
  /** Whether the connection is encrypted, and the certificate of the server checked. */
  readonly tls: boolean;
  /** Certificates of the authorities that are trusted, as PEM; `null` for the public ones. */
  readonly caCertificate: string | null;
}

const HTTPS_PORT = 8443;
const HTTP_PORT = 8123;
const MAX_NAME_BYTES = 200;

const isName = nameOfBytes(MAX_NAME_BYTES);

const CHECKS: Readonly<Record<keyof ClickhouseSettings, SettingCheck>> = {
  host: SERVER_CHECKS.host,
  port: SERVER_CHECKS.port,
  database: (value) =>
    isName(value) ??
    (/^(system|information_schema)$/i.test(value as string)
      ? 'must not be a database of the system'
      : null),
  // Basic authentication separates the user from the password by a colon.
  user: (value) =>
    isName(value) ?? ((value as string).includes(':') ? 'must not contain a colon' : null),
  tls: SERVER_CHECKS.tls,
  caCertificate: SERVER_CHECKS.caCertificate,
};

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readClickhouseSettings(given: DestinationSettings): ClickhouseSettings {
  const port = given['tls'] === false ? HTTP_PORT : HTTPS_PORT;
  return readSettings<ClickhouseSettings>(given, CHECKS, { port, tls: true, caCertificate: null });
}
