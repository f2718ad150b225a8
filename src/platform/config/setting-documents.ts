import { markdownTable } from '../../common/text/markdown-table';
import type { z } from 'zod';
import { settingTexts } from './setting-types';
import { SETTINGS_BY_SUBJECT, type Settings } from './settings';

/** Settings that most operators decide on, with when to set each. */
const COMMON_SETTINGS = {
  DATABASE_URL: 'in production',
  SECRETS_KEY_FILE: 'in production; keep a copy of the file apart from the database',
  PUBLIC_URL: 'if people use the console',
  TRUSTED_PROXIES: 'behind a proxy or an ingress controller',
  REQUIRE_HTTPS: 'to `on` in production',
  REDIS_URL: 'with more than one instance',
  METRICS_PORT: 'if Prometheus collects metrics',
  DATABASE_POOL_SIZE: 'if all instances together would exceed `max_connections`',
  DATABASE_DIRECT_URL: 'behind a pooler',
  RATE_LIMIT_REQUESTS: 'if integrators may send more, or fewer, than 10 requests a second',
  QUOTA_ROWS: 'if accounts must not fill the disk',
  CHANGE_RETENTION_DAYS: 'if clients may stay away for longer, or the disk is small',
  CONNECTION_ALLOWED_PRIVATE_RANGES:
    'if data warehouses or identity providers are in a private network',
} satisfies Partial<Record<keyof Settings, string>>;

/**
 * Settings that are not in the values of the Helm chart: those with passwords belong in a Secret, and
 * the chart decides the others.
 */
const NOT_IN_CHART: readonly (keyof Settings)[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'PORT',
  'HOST',
  'METRICS_PORT',
  'METRICS_HOST',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'SECRETS_KEY_FILE',
  'DATA_DIR',
];

/** A setting as documents describe it. Texts are Markdown. */
interface DocumentedSetting {
  readonly name: string;
  /** Value without Markdown, as in `.env`. For a setting without a default, `undefined`. */
  readonly default: string | undefined;
  /** Text in place of a default value. */
  readonly unset: string;
  readonly example: string;
  readonly description: string;
}

/** Returns a default as it would be written in `.env`. */
function defaultOf(type: z.ZodType): string | undefined {
  const value = type.parse(undefined);
  if (Array.isArray(value) && value.length > 0) return value.join(',');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

function documented([name, type]: readonly [string, z.ZodType]): DocumentedSetting {
  const { description = '', unset } = settingTexts.get(type) ?? {};
  const value = defaultOf(type);
  if (description === '' || (value === undefined) === (unset === undefined)) {
    throw new Error(`${name} needs a description, and either a default or a text for when unset`);
  }
  return {
    name,
    default: value,
    unset: unset?.means ?? '',
    example: unset?.example ?? '',
    description,
  };
}

function documentedSubjects(): { title: string; settings: DocumentedSetting[] }[] {
  return Object.entries(SETTINGS_BY_SUBJECT).map(([title, types]) => ({
    title,
    settings: Object.entries<z.ZodType>(types).map(documented),
  }));
}

const ENV_HEADER = `\
Every setting. Edit a copy: unchanged, it sets nothing but defaults. An empty value counts as not \
set. All settings are environment variables and are checked at startup. \`docker compose\` reads a \
copy named \`.env\`. Otherwise load it yourself: \`set -a; . ./.env; set +a; npm start\`. "See" refers to sections of the pages in docs/operations. Written by \`npm run settings\`.`;

const ENV_WIDTH = 100;

/** Wraps a text in lines that begin with `# `. */
function envComment(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? `# ${word}` : `${line} ${word}`;
    if (longer.length > ENV_WIDTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}

/**
 * Returns the lines of a setting. Its value is the default, or empty if there is none: an example
 * stands in the comment, so that nobody takes it for a default.
 * @param when When to set it. If missing, the assignment is commented out.
 */
function envEntry(setting: DocumentedSetting, when?: string): string {
  const { name, description, unset, example } = setting;
  const value = setting.default ?? '';
  const text = [
    ...(when === undefined ? [] : [`Set it ${when}.`]),
    ...[description, ...(setting.default === undefined ? [`Default: ${unset}.`] : [])],
  ].join(' ');
  return [
    envComment(text),
    ...(setting.default === undefined ? [`# Example: ${name}=${example}`] : []),
    `${when === undefined ? '#' : ''}${name}=${value}`,
  ].join('\n');
}

/** Returns the text of `.env.example`. Common settings come first, as assignments. */
export function envExample(): string {
  const subjects = documentedSubjects();
  const all = new Map(subjects.flatMap(({ settings }) => settings).map((one) => [one.name, one]));
  const common = Object.entries(COMMON_SETTINGS).flatMap(([name, when]) => {
    const setting = all.get(name);
    return setting ? [envEntry(setting, when)] : [];
  });
  const others = subjects.flatMap(({ title, settings }) => {
    const entries = settings.filter(({ name }) => !(name in COMMON_SETTINGS));
    return [`## ${title}`, ...entries.map((setting) => envEntry(setting))];
  });
  const parts = [envComment(ENV_HEADER), '## Most installations set only some of these', ...common];
  return `${[...parts, ...others].join('\n\n')}\n`;
}

/** Sections of `docs/operations` that descriptions of settings refer to, with their pages. */
const SECTION_PAGES: ReadonlyMap<string, string> = new Map([
  ['HTTPS', 'configure.md#https'],
  ['Secrets at rest', 'configure.md#secrets-at-rest'],
  ['Quotas', 'configure.md#quotas'],
  ['PostgreSQL', 'postgresql.md'],
  ['Connections', 'postgresql.md#connections'],
  ['Poolers', 'postgresql.md#poolers'],
  ['Read replica', 'scale.md#read-replica'],
  ['Rate limits', 'load.md#rate-limits'],
  ['Load limits', 'load.md#load-limits'],
  ['Logs', 'observe.md#logs'],
  ['Metrics', 'observe.md#metrics'],
  ['Traces', 'observe.md#traces'],
]);

/**
 * Turns "see Poolers" into a link to that section.
 * @throws Error if the page of the section is not known.
 */
function withLinks(description: string): string {
  return description.replaceAll(/\bsee ([A-Z][\w ]*)(?=[.;])/g, (_, title: string) => {
    const page = SECTION_PAGES.get(title);
    if (page === undefined) throw new Error(`add the page of "${title}" to SECTION_PAGES`);
    return `see [${title}](${page})`;
  });
}

/** Returns the table of common settings for `docs/operations/configure.md`. */
function commonTable(): string {
  const rows = Object.entries(COMMON_SETTINGS).map(([name, when]) => [`\`${name}\``, when]);
  return markdownTable([['setting', 'set it'], ...rows]);
}

/** Returns the tables of `docs/operations/settings.md`, each below the heading of its subject. */
function settingTables(): string {
  const tables = documentedSubjects().map(({ title, settings }) => {
    const rows = settings.map((setting) => [
      `\`${setting.name}\``,
      setting.default === undefined ? setting.unset : `\`${setting.default}\``,
      withLinks(setting.description),
    ]);
    return `## ${title}\n\n${markdownTable([['setting', 'default', 'description'], ...rows])}`;
  });
  return tables.join('\n\n');
}

const TABLES =
  /(<!-- settings: written by `npm run settings` -->\n\n).*(\n\n<!-- end of settings -->)/s;

/** @throws Error if the text lacks the comments between which the tables stand. */
function withTables(markdown: string, tables: string): string {
  if (!TABLES.test(markdown)) throw new Error('no place for the tables of settings');
  return markdown.replace(TABLES, (_, start: string, end: string) => `${start}${tables}${end}`);
}

/** Replaces the tables of settings in the text of `docs/operations/settings.md`. */
export function withSettingTables(markdown: string): string {
  return withTables(markdown, settingTables());
}

/** Replaces the table of common settings in the text of `docs/operations/configure.md`. */
export function withCommonSettings(markdown: string): string {
  return withTables(markdown, commonTable());
}

/** Returns the JSON type of a setting, by its default or its example. */
function jsonTypeOf(type: z.ZodType, { example }: DocumentedSetting): object {
  const value = type.parse(undefined) ?? type.parse(example);
  if (typeof value === 'number') {
    return { type: 'integer', minimum: type.safeParse('0').success ? 0 : 1 };
  }
  // YAML reads `on` and `off` as booleans.
  return { type: typeof value === 'boolean' ? 'boolean' : 'string' };
}

/**
 * Replaces the settings in the text of the chart's `values.schema.json`, so that Helm rejects names and
 * types that the service does not know.
 * @throws SyntaxError if the text is not JSON.
 */
export function withSettingSchema(json: string): string {
  const schema = JSON.parse(json) as { properties: Record<string, unknown> };
  const inChart = Object.values(SETTINGS_BY_SUBJECT)
    .flatMap((types) => Object.entries<z.ZodType>(types))
    .filter(([name]) => !NOT_IN_CHART.some((other) => other === name));
  const properties = inChart.map(([name, type]): [string, object] => {
    const setting = documented([name, type]);
    return [name, { ...jsonTypeOf(type, setting), description: setting.description }];
  });
  schema.properties['settings'] = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
