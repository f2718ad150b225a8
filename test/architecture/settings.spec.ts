import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readConfig } from '../../src/platform/config/app-config';
import {
  envExample,
  withCommonSettings,
  withSettingSchema,
  withSettingTables,
} from '../../src/platform/config/setting-documents';
import { settingTexts } from '../../src/platform/config/setting-types';
import { settings } from '../../src/platform/config/settings';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');

/** Returns the names in a document. */
const namesIn = (text: string, line: RegExp): string[] =>
  [...text.matchAll(line)].map(([, name = '']) => name).sort();

const known = Object.keys(settings.shape).sort();

/** A difference means that `npm run settings` was not run after a change of a setting. */
describe.each([
  ['.env.example', /^#?([A-Z][A-Z_]*)=/gm, envExample],
  ['docs/operations/settings.md', /^\| `([A-Z][A-Z_]*)`/gm, withSettingTables],
])('%s', (path, line, render) => {
  it('lists every setting, and nothing else', () => {
    expect(known).toContain('PORT');
    expect(namesIn(read(path), line)).toEqual(known);
  });

  it('has the subjects, defaults and descriptions of the code', () => {
    const text = read(path);
    expect(text).toBe(render(text));
  });
});

describe('docs/operations/configure.md', () => {
  it('has the common settings of the code', () => {
    const text = read('docs/operations/configure.md');
    expect(text).toBe(withCommonSettings(text));
  });
});

describe('.env.example', () => {
  const text = read('.env.example');
  const configure = read('docs/operations/configure.md');
  const [, commonTable = ''] = /## Common settings\n(.*?)\n##/s.exec(configure) ?? [];
  const common = [...commonTable.matchAll(/^\| `([A-Z][A-Z_]*)`/gm)].map(([, name = '']) => name);

  it('begins with the common settings as assignments, and has no others', () => {
    expect(common).toContain('DATABASE_URL');
    const assigned = [...text.matchAll(/^([A-Z][A-Z_]*)=/gm)].map(([, name]) => name);
    expect(assigned).toEqual(common);
    const all = [...text.matchAll(/^#?([A-Z][A-Z_]*)=/gm)].map(([, name]) => name);
    expect(all.slice(0, common.length)).toEqual(common);
    expect(new Set(all).size).toBe(all.length);
  });

  it('changes nothing if it is used as it is, also without its comments', () => {
    const uncommented = text.replaceAll(/^#(?=[A-Z_]+=)/gm, '');
    for (const env of [text, uncommented]) {
      expect(readConfig(parseEnv(env) as Record<string, string>)).toEqual(readConfig({}));
    }
  });

  it('has a valid example for each setting without a default', () => {
    const empty = [...text.matchAll(/^#?([A-Z][A-Z_]*)=$/gm)].map(([, name]) => name);
    const examples = [...text.matchAll(/^# Example: ([A-Z][A-Z_]*)=(.+)$/gm)];
    expect(examples.map(([, name]) => name)).toEqual(empty);
    for (const [, name = '', value] of examples) {
      expect(settings.shape[name as keyof typeof settings.shape].safeParse(value)).toMatchObject({
        success: true,
      });
    }
  });
});

describe('deploy/helm/datagrid-platform/values.schema.json', () => {
  const text = read('deploy/helm/datagrid-platform/values.schema.json');

  it('has the settings and descriptions of the code', () => {
    expect(text).toBe(withSettingSchema(text));
  });

  it('has every setting except those with passwords and those that the chart decides', () => {
    const schema = JSON.parse(text) as {
      readonly properties: { readonly settings: { readonly properties: object } };
    };
    const inSchema = Object.keys(schema.properties.settings.properties);
    expect(known.filter((name) => !inSchema.includes(name))).toEqual([
      'DATABASE_DIRECT_URL',
      'DATABASE_REPLICA_URL',
      'DATABASE_URL',
      'DATA_DIR',
      'HOST',
      'METRICS_HOST',
      'METRICS_PORT',
      'PORT',
      'REDIS_URL',
      'SECRETS_KEY_FILE',
      'TLS_CERT_FILE',
      'TLS_KEY_FILE',
    ]);
    expect(inSchema.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the description of a setting', () => {
  const bounded = Object.entries(settings.shape).flatMap(([name, type]) => {
    const { description = '' } = settingTexts.get(type) ?? {};
    const [, number, unit] = /; up to (\d+)( MiB)?\./.exec(description) ?? [];
    if (number === undefined) return [];
    return [{ name, type, max: Number(number) * (unit === undefined ? 1 : 1024 * 1024) }];
  });

  it('names a maximum for pages, batches, columns and import batches', () => {
    expect(bounded.map(({ name }) => name).sort()).toEqual([
      'IMPORT_BATCH_ROWS',
      'MAX_BATCH_BYTES',
      'MAX_COLUMNS',
      'MAX_PAGE_BYTES',
    ]);
  });

  it.each(bounded)('names the maximum that $name accepts', ({ type, max }) => {
    expect(type.safeParse(String(max)).data).toBe(max);
    expect(type.safeParse(String(max + 1)).success).toBe(false);
  });
});
