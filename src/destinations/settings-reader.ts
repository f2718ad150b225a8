import { type FieldError, fieldError, invalidRequest } from '../common/error/app-error';
import type { DestinationSettings } from './destination-kind';

const MAX_PORT = 65_535;
const MAX_HOST_LENGTH = 253;
const MAX_CERTIFICATE_LENGTH = 100_000;

/** Checks one setting. @returns what is wrong; `null` if the value is valid. */
export type SettingCheck = (value: unknown) => string | null;

/** Checks of settings that servers have in common. */
export const SERVER_CHECKS = {
  host: (value) =>
    typeof value === 'string' && value.length <= MAX_HOST_LENGTH && /^[\w.:-]+$/.test(value)
      ? null
      : 'must be a host name or an address',
  port: (value) =>
    Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_PORT
      ? null
      : `must be an integer from 1 to ${String(MAX_PORT)}`,
  tls: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  caCertificate: (value) =>
    value === null ||
    (typeof value === 'string' &&
      value.length <= MAX_CERTIFICATE_LENGTH &&
      /^\s*-----BEGIN CERTIFICATE-----[^]*-----END CERTIFICATE-----\s*$/.test(value))
      ? null
      : 'must be null or certificates in PEM format',
} satisfies Record<string, SettingCheck>;

/** Returns a check of a name of up to so many bytes. */
export const nameOfBytes =
  (maxBytes: number): SettingCheck =>
  (value) =>
    typeof value === 'string' &&
    value.length > 0 &&
    !value.includes('\0') &&
    Buffer.byteLength(value) <= maxBytes
      ? null
      : `must be a text of 1 to ${String(maxBytes)} bytes`;

/**
 * Reads the settings of a connection. All settings without a default are required.
 * @throws AppError `invalid_request`
 */
export function readSettings<Settings>(
  given: DestinationSettings,
  checks: Readonly<Record<keyof Settings & string, SettingCheck>>,
  defaults: Readonly<Partial<Settings>>,
): Settings {
  const settings: Record<string, unknown> = { ...defaults, ...given };
  const names = Object.keys(checks) as (keyof Settings & string)[];
  const unknown = Object.keys(given).filter((name) => !(name in checks));
  const errors = [
    ...unknown.map((name): FieldError => {
      const message = `is not a known property; expected one of: ${names.join(', ')}`;
      return fieldError(`settings.${name}`, 'unknown_property', message);
    }),
    ...names.flatMap((name): FieldError[] => {
      const field = `settings.${name}`;
      if (!(name in settings)) return [fieldError(field, 'required', 'is required')];
      const message = checks[name](settings[name]);
      return message === null ? [] : [fieldError(field, 'invalid_format', message)];
    }),
  ];
  if (errors.length > 0) throw invalidRequest(errors);
  return settings as Settings;
}
