import type { Settings } from './connection';
import {
  ALL_DELETIONS,
  CA_CERTIFICATE,
  type DestinationDescriptor,
  type OnlyIf,
  PASSWORD,
  type SettingField,
} from './destination-descriptor';
import { LAKE_DESTINATIONS } from './lake-destinations';

const HOST: SettingField = {
  name: 'host',
  label: 'Host',
  help: 'Name or address of the server.',
  type: 'text',
  defaultValue: '',
};

const TLS: readonly SettingField[] = [
  {
    name: 'tls',
    label: 'Encrypt with TLS',
    help: 'The certificate of the server is checked. Private addresses can be allowed without TLS.',
    type: 'checkbox',
    defaultValue: true,
  },
  CA_CERTIFICATE,
];

/** The destinations, in the order in which a form lists them. */
export const DESTINATIONS: readonly DestinationDescriptor[] = [
  {
    type: 'duckdb',
    label: 'DuckDB file',
    summary: 'A file on the server of this service, for analyses with DuckDB. Needs no database.',
    place: ['file'],
    deletions: ALL_DELETIONS,
    fields: [
      {
        name: 'file',
        label: 'Name of the file',
        help: 'Lower-case letters, digits, “_” and “-”. The file has this name with .duckdb.',
        type: 'text',
        defaultValue: '',
      },
    ],
  },
  {
    type: 'postgresql',
    label: 'PostgreSQL',
    summary: 'A schema of a PostgreSQL database, or of one that speaks its protocol and SQL.',
    place: ['host', 'database', 'schema'],
    deletions: ALL_DELETIONS,
    secret: PASSWORD,
    fields: [
      HOST,
      { name: 'port', label: 'Port', type: 'number', defaultValue: '5432', isOptional: true },
      { name: 'database', label: 'Database', type: 'text', defaultValue: '' },
      {
        name: 'user',
        label: 'User',
        help: 'Needs the right to create tables in the schema.',
        type: 'text',
        defaultValue: '',
      },
      {
        name: 'schema',
        label: 'Schema',
        help: 'It is created if it does not exist.',
        type: 'text',
        defaultValue: 'public',
        isOptional: true,
      },
      ...TLS,
    ],
  },
  {
    type: 'clickhouse',
    label: 'ClickHouse',
    summary: 'A database of a ClickHouse server, over its HTTP interface.',
    place: ['host', 'database'],
    deletions: ALL_DELETIONS,
    secret: PASSWORD,
    fields: [
      HOST,
      {
        name: 'port',
        label: 'Port',
        help: 'Of the HTTP interface. Empty: 8443 with TLS, 8123 without.',
        type: 'number',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 'database',
        label: 'Database',
        help: 'It must exist.',
        type: 'text',
        defaultValue: '',
      },
      {
        name: 'user',
        label: 'User',
        help: 'Needs rights to create and change tables in the database.',
        type: 'text',
        defaultValue: '',
      },
      ...TLS,
    ],
  },
  {
    type: 'mysql',
    label: 'MySQL or MariaDB',
    summary: 'A database of a MySQL or MariaDB server.',
    place: ['host', 'database'],
    deletions: ALL_DELETIONS,
    secret: PASSWORD,
    fields: [
      {
        name: 'host',
        label: 'Host',
        help: 'Name of the server. It can be an address if TLS is off.',
        type: 'text',
        defaultValue: '',
      },
      { name: 'port', label: 'Port', type: 'number', defaultValue: '3306', isOptional: true },
      { name: 'database', label: 'Database', type: 'text', defaultValue: '' },
      {
        name: 'user',
        label: 'User',
        help: 'Needs all privileges on the database.',
        type: 'text',
        defaultValue: '',
      },
      ...TLS,
    ],
  },
  ...LAKE_DESTINATIONS,
  {
    type: 'snowflake',
    label: 'Snowflake',
    summary: 'A schema of a Snowflake account. Tested only with the emulator fakesnow.',
    deletions: ALL_DELETIONS,
    place: ['account', 'database', 'schema'],
    secret: {
      label: 'Private key, token or password',
      help: `With a key pair: the private key in PEM format, without a passphrase. ${PASSWORD.help}`,
    },
    fields: [
      {
        name: 'account',
        label: 'Account identifier',
        help: 'Such as myorg-myaccount.',
        type: 'text',
        defaultValue: '',
      },
      { name: 'user', label: 'User', type: 'text', defaultValue: '' },
      {
        name: 'authentication',
        label: 'Authentication',
        type: 'choice',
        defaultValue: 'keyPair',
        choices: [
          { value: 'keyPair', label: 'Key pair' },
          { value: 'token', label: 'Programmatic access token' },
          { value: 'password', label: 'Password' },
        ],
      },
      {
        name: 'role',
        label: 'Role',
        help: 'Empty: the default role of the user.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      { name: 'warehouse', label: 'Warehouse', type: 'text', defaultValue: '' },
      { name: 'database', label: 'Database', type: 'text', defaultValue: '' },
      {
        name: 'schema',
        label: 'Schema',
        help: 'It must exist.',
        type: 'text',
        defaultValue: 'PUBLIC',
        isOptional: true,
      },
      {
        name: 'url',
        label: 'URL of an emulator',
        help: 'Empty: the host of the account.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
    ],
  },
];

/** @returns `undefined` for a type that this console does not know yet. */
export const findDestination = (type: string): DestinationDescriptor | undefined =>
  DESTINATIONS.find((one) => one.type === type);

/** Values of a form, by the name of the setting. */
export type FieldValues = Readonly<Record<string, string | boolean>>;

export const defaultValues = ({ fields }: DestinationDescriptor): FieldValues =>
  Object.fromEntries(fields.map(({ name, defaultValue }) => [name, defaultValue]));

/** Returns whether a field, or a secret, is part of the settings with these values. */
export const isPart = (
  { onlyIf }: { readonly onlyIf?: OnlyIf | undefined },
  values: FieldValues,
): boolean => onlyIf === undefined || values[onlyIf.name] === onlyIf.value;

/** Returns saved settings as values of a form. */
export function valuesOf({ fields }: DestinationDescriptor, settings: Settings): FieldValues {
  return Object.fromEntries(
    fields.map(({ name, type, defaultValue }) => {
      const value = settings[name];
      if (value === undefined) return [name, defaultValue];
      if (type === 'checkbox') return [name, value === true];
      return [name, typeof value === 'string' || typeof value === 'number' ? `${value}` : ''];
    }),
  );
}

/**
 * Returns the settings that a form has, for a request. Empty fields are left out, so that the
 * service uses its default or names the field. A number that is none is sent as text for the same reason.
 */
export function settingsOf({ fields }: DestinationDescriptor, values: FieldValues): Settings {
  return Object.fromEntries(
    fields.flatMap((field): (readonly [string, unknown])[] => {
      const { name, type } = field;
      const value = values[name];
      if (value === undefined || !isPart(field, values)) return [];
      if (typeof value === 'boolean') return [[name, value]];
      const text = value.trim();
      if (text === '') return [];
      return [[name, type === 'number' && /^\d{1,15}$/.test(text) ? Number(text) : text]];
    }),
  );
}

/** Returns the place of a destination in a few words, such as `DuckDB file, sales`. */
export function placeOf(type: string, settings: Settings): string {
  const destination = findDestination(type);
  if (!destination) return type;
  const place = destination.place.map((name) => settings[name]).filter(Boolean);
  return [destination.label, place.map(String).join(' / ')].filter(Boolean).join(', ');
}
