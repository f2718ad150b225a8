import { type FieldError, fieldError, invalidRequest } from '../../../common/error/app-error';
import type { DestinationSettings } from '../destination-kind';

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
const MAX_PORT = 65_535;
/** Longest name of an object in PostgreSQL, in bytes. */
const MAX_NAME_BYTES = 63;
const MAX_HOST_LENGTH = 253;
const MAX_CERTIFICATE_LENGTH = 100_000;

type Check = (value: unknown) => string | null;

const isName: Check = (value) =>
  typeof value === 'string' &&
  value.length > 0 &&
  !value.includes('\0') &&
  Buffer.byteLength(value) <= MAX_NAME_BYTES
    ? null
    : `must be a text of 1 to ${String(MAX_NAME_BYTES)} bytes`;

const CHECKS: Readonly<Record<keyof PostgresqlSettings, Check>> = {
  host: (value) =>
    typeof value === 'string' && value.length <= MAX_HOST_LENGTH && /^[\w.:-]+$/.test(value)
      ? null
      : 'must be a host name or an address',
  port: (value) =>
    Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_PORT
      ? null
      : `must be an integer from 1 to ${String(MAX_PORT)}`,
  database: isName,
  user: isName,
  schema: (value) =>
    isName(value) ??
    (/^(pg_|information_schema$)/.test(value as string)
      ? 'must not be a schema of the system'
      : null),
  tls: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  caCertificate: (value) =>
    value === null ||
    (typeof value === 'string' &&
      value.length <= MAX_CERTIFICATE_LENGTH &&
      /^\s*-----BEGIN CERTIFICATE-----[^]*-----END CERTIFICATE-----\s*$/.test(value))
      ? null
      : 'must be null or certificates in PEM format',
};

const DEFAULTS = { port: DEFAULT_PORT, schema: 'public', tls: true, caCertificate: null } as const;

/** Reads the settings of a connection. @throws AppError `invalid_request` */
export function readPostgresqlSettings(given: DestinationSettings): PostgresqlSettings {
  const settings: Record<string, unknown> = { ...DEFAULTS, ...given };
  const names = Object.keys(CHECKS) as (keyof PostgresqlSettings)[];
  const unknown = Object.keys(given).filter((name) => !(name in CHECKS));
  const errors = [
    ...unknown.map((name): FieldError => {
      const message = `is not a known setting; expected one of: ${names.join(', ')}`;
      return fieldError(`settings.${name}`, 'unknown_property', message);
    }),
    ...names.flatMap((name): FieldError[] => {
      const field = `settings.${name}`;
      if (!(name in settings)) return [fieldError(field, 'required', 'is required')];
      const message = CHECKS[name](settings[name]);
      return message === null ? [] : [fieldError(field, 'invalid_format', message)];
    }),
  ];
  if (errors.length > 0) throw invalidRequest(errors);
  return settings as unknown as PostgresqlSettings;
}
