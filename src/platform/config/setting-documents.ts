import type { z } from 'zod';
import { settingTexts } from './setting';
import { SETTINGS_BY_SUBJECT } from './settings';

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
Every setting with its default, or with an example if it has none. All settings are environment \
variables and are checked at startup; an empty value counts as not set. \`docker compose\` reads a \
copy of this file named \`.env\`. Otherwise load a copy yourself: \`set -a; . ./.env; set +a; npm \
start\`. "See" refers to sections of docs/operations.md. Written by \`npm run settings\`.`;

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

function envEntry(setting: DocumentedSetting): string {
  const { name, description, unset, example } = setting;
  const text = setting.default === undefined ? `${description} Default: ${unset}.` : description;
  return `${envComment(text)}\n#${name}=${setting.default ?? example}`;
}

/** Returns the text of `.env.example`. */
export function envExample(): string {
  const subjects = documentedSubjects().flatMap(({ title, settings }) => [
    `## ${title}`,
    ...settings.map(envEntry),
  ]);
  return `${[envComment(ENV_HEADER), ...subjects].join('\n\n')}\n`;
}

/** Prints a Markdown table as Prettier does. */
function markdownTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill: string): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const separator = header.map(() => '');
  return [line(header, ' '), line(separator, '-'), ...rows.map((row) => line(row, ' '))].join('\n');
}

/** Turns "see Poolers" into a link to that section of `docs/operations.md`. */
function withLinks(description: string): string {
  return description.replaceAll(/\bsee ([A-Z][\w ]*)(?=[.;])/g, (_, title: string) => {
    const anchor = title.toLowerCase().replaceAll(' ', '-');
    return `see [${title}](#${anchor})`;
  });
}

/** Returns the tables of `docs/operations.md`, each below the heading of its subject. */
function settingTables(): string {
  return documentedSubjects()
    .map(({ title, settings }) => {
      const rows = settings.map((setting) => [
        `\`${setting.name}\``,
        setting.default === undefined ? setting.unset : `\`${setting.default}\``,
        withLinks(setting.description),
      ]);
      return `#### ${title}\n\n${markdownTable([['setting', 'default', 'description'], ...rows])}`;
    })
    .join('\n\n');
}

const TABLES =
  /(<!-- settings: written by `npm run settings` -->\n\n).*(\n\n<!-- end of settings -->)/s;

/**
 * Replaces the tables of settings in the text of `docs/operations.md`.
 * @throws Error if the text lacks the comments between which the tables stand.
 */
export function withSettingTables(markdown: string): string {
  if (!TABLES.test(markdown)) throw new Error('no place for the tables of settings');
  return markdown.replace(
    TABLES,
    (_, start: string, end: string) => `${start}${settingTables()}${end}`,
  );
}
