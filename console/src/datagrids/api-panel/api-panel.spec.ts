import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { COLUMN_TYPE_NAMES } from '../column-type';
import type { Column } from '../datagrid';
import type { ApiCall } from './api-call';
import { curlCode } from './curl';
import { callsFor, screenCall } from './example-calls';
import { literal, pythonCode } from './python';
import { typescriptCode } from './typescript';

const COLUMNS: Column[] = COLUMN_TYPE_NAMES.map((type) => ({
  key: `${type}Column`,
  title: type,
  type,
  required: type === 'email',
  unique: type === 'email',
  indexed: false,
  options: type === 'select' || type === 'multiSelect' ? { choices: ["it's", 'b'] } : {},
}));

const ROW_QUERY = {
  filter: `{"name":{"$contains":"O'Hare & \\"more\\" \`$HOME\` \${x}"}}`,
  sort: '-size,name',
  q: undefined,
};

const CALLS = callsFor('https://data.example.com', { id: 'grid-1', columns: COLUMNS }, ROW_QUERY);
const ROWS = 'https://data.example.com/api/v1/public/datagrids/grid-1/rows';

/** Returns the arguments that the shell passes to curl. */
function curlArguments(call: ApiCall): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${curlCode(call)}`;
  const env = { DATAGRID_API_KEY: 'mk_1', HOME: '/nowhere' };
  return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

const VERSION = new Headers({ ETag: '"7-2"' });

interface Fetched {
  readonly url: string;
  readonly options: { method?: string; headers: Record<string, string>; body?: string };
}

/** Runs the program and returns the arguments of `fetch`. */
async function fetched(call: ApiCall): Promise<Fetched> {
  const source = `export {}; ${typescriptCode(call)}`;
  const { outputText, diagnostics } = ts.transpileModule(source, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  expect(diagnostics).toEqual([]);
  const body = outputText.replace(/^(import|export) .*$/gm, '');
  let seen: Fetched | undefined;
  const fetch = (url: string, options: Fetched['options']): Promise<unknown> => {
    seen = { url, options };
    return Promise.resolve({
      ok: true,
      headers: VERSION,
      json: () => Promise.resolve({ data: [], meta: {} }),
    });
  };
  await (runInNewContext(`(async () => { ${body} })()`, {
    fetch,
    URLSearchParams,
    process: { env: { DATAGRID_API_KEY: 'mk_1' } },
    openAsBlob: (name: string) => `file ${name}`,
    writeFile: () => null,
  }) as Promise<void>);
  if (!seen) throw new Error('Nothing was fetched.');
  return seen;
}

const called = (title: string): ApiCall => {
  const call = CALLS.find((one) => one.title.startsWith(title));
  if (!call) throw new Error(`No call ${title}`);
  return call;
};

describe('the example requests of a datagrid', () => {
  it('use its columns with a valid value for each', () => {
    expect(CALLS.map(({ method, url }) => `${method} ${url.replace(ROWS, '')}`)).toEqual([
      'GET ',
      'GET /1',
      'POST ',
      'PATCH /1',
      'PUT ',
      'DELETE /1',
      'POST /import',
      'GET /export',
    ]);
    expect(called('Create a row').body).toEqual({
      values: {
        textColumn: 'Some textColumn',
        integerColumn: 42,
        numberColumn: 12.5,
        decimalColumn: '1204.50',
        booleanColumn: true,
        dateColumn: '2026-11-21',
        emailColumn: 'ada@example.com',
      },
    });
    expect(called('Upsert rows').body).toMatchObject({ matchOn: ['emailColumn'] });
  });

  it('request the rows on the screen', () => {
    expect(screenCall('http://h', 'g', { filter: '{}', sort: undefined, q: 'x' })).toMatchObject({
      title: 'List the rows on the screen',
      query: { filter: '{}', q: 'x', limit: '100' },
    });
    expect(screenCall('http://h', 'g', {}).title).toBe('List rows');
  });
});

describe('curlCode', () => {
  it('escapes every character for the shell', () => {
    expect(curlArguments(called('List the rows'))).toEqual([
      '-sS',
      ROWS,
      '-H',
      'Authorization: Bearer mk_1',
      '-G',
      '--data-urlencode',
      `filter=${ROW_QUERY.filter}`,
      '--data-urlencode',
      'sort=-size,name',
      '--data-urlencode',
      'limit=100',
    ]);
  });

  it('changes only the version that it has read', () => {
    const [read = '', ...change] = curlCode(called('Update a row')).split('\ncurl ');
    expect(read).toMatch(/^etag=\$\(curl -sS -D - -o \/dev\/null '.*\/rows\/1'/);
    expect(change.join('')).toContain('-H "If-Match: $etag"');
    expect(pythonCode(called('Update a row'))).toContain('"If-Match": current.headers["ETag"],');
  });

  it('sends bodies and files', () => {
    const create = curlArguments(called('Upsert rows'));
    expect(create.slice(0, 3)).toEqual(['-sS', '-X', 'PUT']);
    expect(create.slice(4, 9)).toEqual([
      '-H',
      'Authorization: Bearer mk_1',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    expect(JSON.parse(create.at(-1) ?? '')).toEqual(called('Upsert rows').body);
    expect(curlArguments(called('Create a row')).slice(0, 2)).toEqual(['-sS', ROWS]);
    expect(curlArguments(called('Import'))).toEqual([
      '-sS',
      '-X',
      'POST',
      `${ROWS}/import?onError=skip&ignoreReadOnly=true`,
      '-H',
      'Authorization: Bearer mk_1',
      '-H',
      'Content-Type: text/csv',
      '-T',
      'rows.csv',
    ]);
  });
});

describe('typescriptCode', () => {
  it('sends the described request for every example', async () => {
    for (const call of CALLS) {
      const { url, options } = await fetched(call);
      const address = new URL(url);
      expect(`${address.origin}${address.pathname}`).toBe(call.url);
      expect(Object.fromEntries(address.searchParams)).toEqual(call.query);
      expect(options.method ?? 'GET').toBe(call.method);
      expect(options.headers).toMatchObject({ Authorization: 'Bearer mk_1', ...call.headers });
      if (call.body !== undefined) expect(JSON.parse(options.body ?? '')).toEqual(call.body);
      if (call.isConditional) expect(options.headers).toMatchObject({ 'If-Match': '"7-2"' });
      if (call.sends !== undefined) expect(options.body).toBe('file rows.csv');
    }
  });
});

describe('pythonCode', () => {
  it('prints values as Python literals', () => {
    expect(literal({ a: [null, true, 1.5, "it's"], b: {} })).toBe(
      '{\n    "a": [\n        None,\n        True,\n        1.5,\n        "it\'s",\n    ],\n    "b": {},\n}',
    );
  });

  it('prints a complete program', () => {
    expect(pythonCode(called('Delete'))).toBe(
      [
        'import os',
        '',
        'import requests',
        '',
        'response = requests.delete(',
        `    "${ROWS}/1",`,
        '    headers={',
        `        "Authorization": f"Bearer {os.environ['DATAGRID_API_KEY']}",`,
        '    },',
        '    timeout=60,',
        ')',
        'response.raise_for_status()',
      ].join('\n'),
    );
  });
});
