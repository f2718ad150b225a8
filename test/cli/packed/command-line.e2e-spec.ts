import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { InstalledPackages, type ProgramResult } from './installed-packages';

const BATCH_ROWS = 10;
const FLIGHTS = [
  { key: 'number', type: 'text', unique: true, required: true },
  { key: 'seats', type: 'integer' },
  { key: 'class', type: 'select', options: { choices: ['first', 'second'] } },
];

const PLANES = (datagridId: string): readonly object[] => [
  { key: 'no', type: 'autonumber' },
  { key: 'name', type: 'text', required: true },
  { key: 'seats', type: 'integer', required: true, defaultValue: 100 },
  { key: 'airline', type: 'link', options: { datagridId } },
  { key: 'partners', type: 'multiLink', options: { datagridId } },
  { key: 'by', type: 'createdBy' },
  { key: 'changedBy', type: 'updatedBy' },
];

/** Uses the types of planes. */
const PLANE_PROGRAM = `
import { createClient } from '@datagrid/client';
const planes = createClient({ baseUrl: 'x:', apiKey: '' })
  .rows<Plane, PlaneInput, PlaneReplacement>('1');

// A required column with a default value can be left out of a new row, but always has a value.
await planes.create({ name: 'a' });
await planes.createMany([{ name: 'a', seats: 3 }]);
await planes.update(1, { seats: 4, airline: null });
const { values } = await planes.get(1);
export const seats: number = values.seats;
export const airlineName: string | undefined = values.airlineName;
export const partnerTags: ('big' | 'low cost')[][] | undefined = values.partnerTags;
const { airlineName: _name, partnerTags: _tags, planes: _count, ...stored } = values;
await planes.replace(1, { ...stored, name: 'b' });
await planes.batch([{ op: 'replace', id: 1, values: stored }]);
await planes.upsert(['name'], [{ name: 'a', seats: null }]);

// @ts-expect-error The name is required.
await planes.create({ seats: 3 });
// @ts-expect-error The service numbers rows.
await planes.create({ name: 'a', no: 5 });
// @ts-expect-error
await planes.create({ name: 'a', airlineName: 'x' });
// @ts-expect-error
await planes.create({ name: 'a', by: 'x' });
// @ts-expect-error Values that were read can contain those.
await planes.create(values);
// @ts-expect-error
await planes.create({ ...stored });
// @ts-expect-error
await planes.createMany([{ name: 'a', changedBy: 'x' }]);
// @ts-expect-error
await planes.update(1, { planes: 5 });
// @ts-expect-error Nor can a value be removed.
await planes.update(1, { no: null });
// @ts-expect-error
await planes.batch([{ op: 'create', values: { name: 'a', no: 1 } }]);
// @ts-expect-error
await planes.upsert(['name'], [{ name: 'a', no: 1 }]);
// @ts-expect-error Computed values cannot be sent.
await planes.replace(1, { ...values, name: 'b' });
// @ts-expect-error Default values do not apply to replacements.
await planes.replace(1, { name: 'b' });
`;

let app: TestApp;
let owner: Member;
let installed: InstalledPackages;

beforeAll(async () => {
  app = await TestApp.start({ settings: { IMPORT_BATCH_ROWS: String(BATCH_ROWS) } });
  owner = await app.newAccount();
  installed = InstalledPackages.get();
}, 180_000);

afterAll(() => app.close());

const newId = async (): Promise<string> =>
  (await newDatagrid(owner.api, FLIGHTS)).slice('/datagrids/'.length);

function run(...args: string[]): Promise<ProgramResult> {
  const env = { DATAGRID_URL: app.origin, DATAGRID_API_KEY: owner.key };
  return installed.datagrid(env, ...args);
}

/** Runs a command that must succeed, and returns its output as JSON. */
async function printed(...args: string[]): Promise<unknown> {
  const result = await run(...args);
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(result.stdout);
}

describe('the packed packages', () => {
  it('contain what they run and their types, and no sources or tests', () => {
    const filesOf = (name: string): string[] => {
      const entries = readdirSync(installed.path('node_modules/@datagrid', name), {
        recursive: true,
        withFileTypes: true,
      });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    };
    const client = filesOf('client');
    expect(client).toEqual(expect.arrayContaining(['package.json', 'README.md', 'client.d.ts']));
    const others = client.filter(
      (name) => !/\.(js|d\.ts)$|^(package\.json|README\.md)$/.test(name),
    );
    expect(others).toEqual([]);
    expect([...client, ...filesOf('command-line')].filter((name) => name.includes('spec'))).toEqual(
      [],
    );
  });

  it('have types that a strict project without types of Node.js accepts', () => {
    const program = `import { createClient, type Row } from '@datagrid/client';
import type { Flight } from './flight.mjs';
const flights = createClient({ baseUrl: 'x:', apiKey: '' }).rows<Flight>('1');
export const one: Promise<Row<Flight>> = flights.create({ number: 'a' });
// @ts-expect-error A value has the type of its column.
export const wrong = flights.create({ number: 1 });
// @ts-expect-error Only columns can be matched.
export const unknown = flights.upsert(['color'], []);
`;
    writeFileSync(installed.path('examples/types.mts'), program);
    const options = { lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] };
    installed.checkTypes(options, ['examples/types.mts']);
    writeFileSync(installed.path('examples/types.mts'), program.replaceAll('// @ts', '// ts'));
    expect(() => {
      installed.checkTypes(options, ['examples/types.mts']);
    }).toThrow(/types\.mts\(6,\d+\): error[^]*types\.mts\(8,\d+\): error/);
  });

  it('are found with the default module resolution of TypeScript 5', () => {
    writeFileSync(
      installed.path('examples/default.ts'),
      `import { createClient } from '@datagrid/client';
// @ts-expect-error It has the types of the package.
createClient({ baseUrl: 1, apiKey: '' });
`,
    );
    const options = { lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] };
    // TypeScript 6, which deprecates it, still supports it.
    const resolution = {
      ...{ module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
    };
    installed.checkTypes({ ...options, ...resolution }, ['examples/default.ts']);
  });

  it('run the client where only the globals of every runtime exist', async () => {
    const main = installed.path('node_modules/@datagrid/client/dist/client.js');
    const program = [
      join(__dirname, 'bare-context.mjs'),
      main,
      app.origin,
      owner.key,
      await newId(),
    ];
    const node = ['--experimental-vm-modules', '--no-warnings', ...program];
    const { stdout } = await promisify(execFile)(process.execPath, node);
    expect(JSON.parse(stdout)).toEqual({
      file: 'number\nDG 1\nDG 2\nDG 3\n',
      changes: 4,
      webhook: 'No signature matches.',
    });
  });
});

describe('datagrid', () => {
  it('prints the key, workspaces and datagrids as the API returns them', async () => {
    const id = await newId();
    const { workspaceId } = dataOf(await owner.api.get(`/datagrids/${id}`), 200);
    const calls = [
      [['me'], '/me'],
      [['workspaces', 'list', '--limit', '2'], '/workspaces?limit=2'],
      [['datagrids', 'list', '--workspace', workspaceId], `/workspaces/${workspaceId}/datagrids`],
      [['datagrids', 'get', id], `/datagrids/${id}`],
    ] as const;
    for (const [args, path] of calls) {
      const { text } = await owner.api.get(path);
      expect(await run(...args)).toEqual({ code: 0, stdout: `${text}\n`, stderr: '' });
    }
  });

  it('creates, reads, updates and deletes a row', async () => {
    const id = await newId();
    const of = ['--datagrid', id];
    const values = '{"number":"DG 1","seats":9007199254740991}';
    const created = { number: 'DG 1', seats: 9007199254740991 };
    const row = await printed('rows', 'create', ...of, '--values', values);
    expect(row).toMatchObject({ data: { id: 1, values: created } });
    expect(await printed('rows', 'get', '1', ...of)).toEqual(row);
    const updated = await printed('rows', 'update', '1', ...of, '--values', '{"seats":null}');
    expect(updated).toMatchObject({ data: { values: { number: 'DG 1' } } });
    const deleted = await run('rows', 'delete', '1', ...of);
    expect(deleted).toEqual({ code: 0, stdout: '', stderr: '' });
    const missing = await run('rows', 'get', '1', ...of);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^error: not_found: Row not found\. \(request \S+\)\n$/);
  });

  it('sends numbers as they are written, and rejects values that are not an object', async () => {
    const create = ['rows', 'create', '--datagrid', await newId(), '--values'];
    const rounded = await run(...create, '{"number":"DG 1","seats":9007199254740993}');
    expect(rounded).toMatchObject({ code: 1, stdout: '' });
    expect(rounded.stderr).toMatch(/^error: invalid_request: .+\n {2}values\.seats: .+\n$/);
    for (const text of ['{', '[]', 'null', '1']) {
      const { code, stderr } = await run(...create, text);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --values .+\n$/)]);
    }
  });

  it('prints the types of a datagrid, which the client uses', async () => {
    const id = await newId();
    const types = await run('types', id, '--name', 'Flight');
    expect(types).toMatchObject({ code: 0, stderr: '' });
    expect(types.stdout).toContain(
      'export interface Flight {\n  number: string;\n  seats?: number;',
    );
    expect(types.stdout).toContain('class?: "first" | "second";\n');
    const program = `${types.stdout}
import { createClient } from '@datagrid/client';
const flights = createClient({ baseUrl: 'x:', apiKey: '' }).rows<Flight>('1');
export const created = flights.create({ number: 'DG 1', class: 'first' });
// @ts-expect-error It is not one of the choices.
export const wrong = flights.create({ number: 'DG 1', class: 'third' });
`;
    writeFileSync(installed.path('examples/generated.mts'), program);
    const options = { lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] };
    installed.checkTypes(options, ['examples/generated.mts']);
    const named = await run('types', id, '--name', 'no name');
    expect(named).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints types of what is read, of what can be written, and of replacements', async () => {
    const airlines = await newDatagrid(owner.api, [
      { key: 'name', type: 'text', required: true },
      { key: 'tags', type: 'multiSelect', options: { choices: ['big', 'low cost'] } },
    ]);
    const { id: datagridId, workspaceId } = dataOf(await owner.api.get(airlines), 200);
    const create = { name: 'Planes', columns: PLANES(datagridId) };
    const created = await owner.api.post(`/workspaces/${workspaceId}/datagrids`, create);
    const { id: planes } = dataOf(created, 201);
    for (const [key, options] of [
      ['airlineName', { link: 'airline', column: 'name' }],
      ['partnerTags', { link: 'partners', column: 'tags' }],
    ] as const) {
      const column = { key, type: 'lookup', options };
      dataOf(await owner.api.post(`/datagrids/${planes}/columns`, column), 201);
    }
    const parent = { key: 'parent', type: 'link', options: { datagridId: planes } };
    const count = {
      key: 'planes',
      type: 'count',
      options: { ...parent.options, column: 'parent' },
    };
    for (const column of [parent, count]) {
      dataOf(await owner.api.post(`/datagrids/${planes}/columns`, column), 201);
    }
    const types = await run('types', planes, '--name', 'Plane');
    expect(types).toMatchObject({ code: 0, stderr: '' });

    const program = `${types.stdout}${PLANE_PROGRAM}`;
    const options = { lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] };
    for (const exactOptionalPropertyTypes of [true, false]) {
      writeFileSync(installed.path('examples/planes.mts'), program);
      installed.checkTypes({ ...options, exactOptionalPropertyTypes }, ['examples/planes.mts']);
    }
    // Each line that must not compile has an error of its own.
    writeFileSync(
      installed.path('examples/planes.mts'),
      program.replaceAll('// @ts-expect-error', '//'),
    );
    let errors = '';
    try {
      installed.checkTypes(options, ['examples/planes.mts']);
    } catch (error) {
      errors = (error as Error).message;
    }
    expect(errors.match(/planes\.mts\(\d+/g)).toHaveLength(PLANE_PROGRAM.split('@ts-').length - 1);

    // The type of a lookup is unknown to a key without access to the linked datagrid.
    const limits = { name: 'Limited', datagridIds: [planes] };
    const { key } = dataOf(await (await app.console(owner)).post('/keys', limits), 201);
    const env = { DATAGRID_URL: app.origin, DATAGRID_API_KEY: key };
    const limited = await installed.datagrid(env, 'types', planes);
    expect(limited.stderr).toBe('');
    expect(limited.stdout).toContain('  readonly airlineName?: unknown;\n');
  });

  it('continues a failed import from the line that it prints', async () => {
    const id = await newId();
    const file = installed.path('flights.csv');
    const lines = Array.from({ length: 35 }, (_, n) => `DG ${String(n)},${String(n)}\n`);
    const text = (rows: readonly string[]): string => `number,seats\n${rows.join('')}`;
    writeFileSync(file, text(lines.with(27, 'DG 27,many\n')));
    const failed = await run('import', file, '--datagrid', id);
    expect(failed.code).toBe(1);
    const [, line = ''] =
      /Run the command again with --start-line (\d+)\.\n$/.exec(failed.stderr) ?? [];
    expect([1, 12, 22]).toContain(Number(line));
    expect(failed.stderr.match(/error:/g)).toHaveLength(1);
    writeFileSync(file, text(lines));
    const continued = await run('import', file, '--datagrid', id, '--start-line', line);
    expect([continued.code, continued.stderr]).toEqual([0, '']);
    const exported = await run(
      'export',
      '--datagrid',
      id,
      '--format',
      'csv',
      '--fields',
      'number,seats',
    );
    expect(exported.stdout).toBe(text(lines));
    const wrong = await run('import', file, '--datagrid', id, '--start-line', '0');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  });

  it('has a version, and takes the URL of the service as an option in any place', async () => {
    const { version } = JSON.parse(
      readFileSync(installed.path('node_modules/@datagrid/command-line/package.json'), 'utf8'),
    ) as { version: string };
    const unset = { DATAGRID_API_KEY: owner.key };
    expect(await installed.datagrid({}, '--version')).toMatchObject({ stdout: `${version}\n` });
    expect(await installed.datagrid(unset, 'me')).toMatchObject({ code: 2, stdout: '' });
    for (const args of [
      ['--url', app.origin, 'me'],
      ['me', '--url', `${app.origin}/api`],
    ]) {
      expect(await installed.datagrid(unset, ...args)).toMatchObject({ code: 0, stderr: '' });
    }
  });
});
