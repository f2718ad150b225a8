import { connectionsText } from '../../text/connections-text';
import type { Settings } from './connection';
import {
  ALL_DELETIONS,
  CA_CERTIFICATE,
  type DestinationDescriptor,
  type OnlyIf,
  type SettingField,
} from './destination-descriptor';
import { LAKE_DESTINATIONS } from './lake-destinations';

const t = connectionsText.destinations;

const HOST: SettingField = {
  name: 'host',
  ...t.host,
  type: 'text',
  defaultValue: '',
};

const TLS: readonly SettingField[] = [
  {
    name: 'tls',
    ...t.tls,
    type: 'checkbox',
    defaultValue: true,
  },
  CA_CERTIFICATE,
];

/** The destinations, in the order in which a form lists them. */
export const DESTINATIONS: readonly DestinationDescriptor[] = [
  {
    type: 'duckdb',
    label: t.duckdb.label,
    summary: t.duckdb.summary,
    place: ['file'],
    deletions: ALL_DELETIONS,
    fields: [
      {
        name: 'file',
        ...t.duckdb.file,
        type: 'text',
        defaultValue: '',
      },
    ],
  },
  {
    type: 'postgresql',
    label: t.postgresql.label,
    summary: t.postgresql.summary,
    place: ['host', 'database', 'schema'],
    deletions: ALL_DELETIONS,
    secret: t.password,
    fields: [
      HOST,
      {
        name: 'port',
        ...t.postgresql.port,
        type: 'number',
        defaultValue: '5432',
        isOptional: true,
      },
      { name: 'database', ...t.postgresql.database, type: 'text', defaultValue: '' },
      {
        name: 'user',
        ...t.postgresql.user,
        type: 'text',
        defaultValue: '',
      },
      {
        name: 'schema',
        ...t.postgresql.schema,
        type: 'text',
        defaultValue: 'public',
        isOptional: true,
      },
      ...TLS,
    ],
  },
  {
    type: 'clickhouse',
    label: t.clickhouse.label,
    summary: t.clickhouse.summary,
    place: ['host', 'database'],
    deletions: ALL_DELETIONS,
    secret: t.password,
    fields: [
      HOST,
      {
        name: 'port',
        ...t.clickhouse.port,
        type: 'number',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 'database',
        ...t.clickhouse.database,
        type: 'text',
        defaultValue: '',
      },
      {
        name: 'user',
        ...t.clickhouse.user,
        type: 'text',
        defaultValue: '',
      },
      ...TLS,
    ],
  },
  {
    type: 'mysql',
    label: t.mysql.label,
    summary: t.mysql.summary,
    place: ['host', 'database'],
    deletions: ALL_DELETIONS,
    secret: t.password,
    fields: [
      {
        name: 'host',
        ...t.mysql.host,
        type: 'text',
        defaultValue: '',
      },
      { name: 'port', ...t.mysql.port, type: 'number', defaultValue: '3306', isOptional: true },
      { name: 'database', ...t.mysql.database, type: 'text', defaultValue: '' },
      {
        name: 'user',
        ...t.mysql.user,
        type: 'text',
        defaultValue: '',
      },
      ...TLS,
    ],
  },
  ...LAKE_DESTINATIONS,
  {
    type: 'snowflake',
    label: t.snowflake.label,
    summary: t.snowflake.summary,
    deletions: ALL_DELETIONS,
    place: ['account', 'database', 'schema'],
    secret: t.snowflake.secret,
    fields: [
      {
        name: 'account',
        ...t.snowflake.account,
        type: 'text',
        defaultValue: '',
      },
      { name: 'user', ...t.snowflake.user, type: 'text', defaultValue: '' },
      {
        name: 'authentication',
        ...t.snowflake.authentication,
        type: 'choice',
        defaultValue: 'keyPair',
        choices: [
          { value: 'keyPair', label: t.snowflake.authentications.keyPair },
          { value: 'token', label: t.snowflake.authentications.token },
          { value: 'password', label: t.snowflake.authentications.password },
        ],
      },
      {
        name: 'role',
        ...t.snowflake.role,
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      { name: 'warehouse', ...t.snowflake.warehouse, type: 'text', defaultValue: '' },
      { name: 'database', ...t.snowflake.database, type: 'text', defaultValue: '' },
      {
        name: 'schema',
        ...t.snowflake.schema,
        type: 'text',
        defaultValue: 'PUBLIC',
        isOptional: true,
      },
      {
        name: 'url',
        ...t.snowflake.url,
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
