import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithTools, outputOf, ServiceForClients } from './tools';

const DOCUMENT = 'openapi.json';

/** Commands that generate a client each, in a directory with the document of the service. */
const GENERATORS = {
  // Otherwise, properties of requests that have a default would be required.
  'openapi-typescript': `openapi-typescript ${DOCUMENT} --default-non-nullable false -o generated/openapi-typescript.ts`,
  'hey-api': `openapi-ts -i ${DOCUMENT} -o generated/hey-api`,
  orval: 'orval --config orval.config.cjs',
  'typescript-fetch': `openapi-generator-cli generate -g typescript-fetch -i ${DOCUMENT} -o generated/typescript-fetch`,
  'python-client': `openapi-python-client generate --path ${DOCUMENT} --output-path generated/python_client --meta none --config python-client.json`,
} as const;

/** Programs that use the clients, by the commands that run them. */
const PROGRAMS = [
  ['openapi-fetch', 'node built/openapi-fetch.mjs'],
  ['hey-api', 'node built/hey-api.mjs'],
  ['orval', 'node built/orval.mjs'],
  ['typescript-fetch', 'node built/typescript-fetch.mjs'],
  ['openapi-python-client', 'python python-client.py'],
] as const;

describeWithTools('a generated client', () => {
  let service: ServiceForClients;
  let directory: string;

  const run = (line: string): Promise<string> => {
    const [command = '', ...args] = line.split(' ');
    const env = { ORIGIN: service.origin, API_KEY: service.key };
    return outputOf(command, args, { directory, env });
  };

  beforeAll(async () => {
    service = await ServiceForClients.start();
    directory = mkdtempSync(join(tmpdir(), 'datagrid-clients-'));
    cpSync(join(__dirname, 'programs'), directory, { recursive: true });
    symlinkSync(join(__dirname, 'node_modules'), join(directory, 'node_modules'));
    const document = await fetch(`${service.origin}/api/v1/public/openapi.json`);
    writeFileSync(join(directory, DOCUMENT), await document.text());
    const output = { target: 'generated/orval.ts', client: 'fetch', baseUrl: service.origin };
    writeFileSync(
      join(directory, 'orval.config.cjs'),
      `module.exports = ${JSON.stringify({ api: { input: DOCUMENT, output } })};`,
    );
    // The generator would format the code with another program.
    writeFileSync(join(directory, 'python-client.json'), JSON.stringify({ post_hooks: [] }));
    await Promise.all(Object.values(GENERATORS).map(run));
  });

  afterAll(async () => {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('compiles in TypeScript with strict, together with a program that uses it', async () => {
    expect(await run('tsc -p tsconfig.json')).toBe('');
    const programs = PROGRAMS.flatMap(([name, line]) =>
      line.startsWith('node ') ? [`${name}.ts`] : [],
    );
    const format = '--bundle --platform=node --format=esm --out-extension:.js=.mjs';
    await run(`esbuild ${programs.join(' ')} ${format} --outdir=built --log-level=error`);
  });

  it('compiles in Python', async () => {
    expect(await run('python -m compileall -q generated/python_client python-client.py')).toBe('');
  });

  it.each(PROGRAMS)('of %s reads and writes as documented', async (name, line) => {
    const answers = JSON.parse(await run(line)) as unknown;
    expect(answers).toEqual({
      columns: ['iata', 'name', 'size', 'tags'],
      defaultValue: ['eu'],
      created: ['Zurich', 'Bern', 'Basel'],
      createdAlone: 6,
      page: { ids: [1, 2], total: 3, totalPages: 2 },
      cursorPages: [[1, 2], [3]],
      found: ['Basel', 'Bern'],
      upserted: ['updated', 'created'],
      batch: ['created', 'updated', 'deleted'],
      imported: 2,
      exported: ['ACH', 'BSL', 'EML', 'GVA', 'LUG', 'SIR', 'ZRH'],
      missing: { status: 404, code: 'not_found' },
      duplicate: { status: 409, code: 'conflict', fields: ['values.iata'] },
      restoredColumns: 4,
      restoredWorkspace: name,
    });
  });
});
