import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describeWithTools, outputOf, runTool, ServiceForClients } from './tools';

const SOURCES = join(__dirname, '../../packages/python');
const SECRET = `whsec_${Buffer.from('a secret of a webhook').toString('base64')}`;

/** Returns a delivery that another implementation has signed. */
function signed(): object {
  const [id, at, body] = ['evt_1', new Date(), JSON.stringify({ type: 'rows.changed' })];
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, at, body),
  };
  return { secret: SECRET, headers, body };
}

describeWithTools('the Python package', () => {
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'datagrid-python-'));
    cpSync(SOURCES, join(directory, 'package'), { recursive: true });
  });

  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const run = (args: string): Promise<string> => outputOf('python', args.split(' '), { directory });

  it('has types that mypy accepts with strict', async () => {
    await run('-m mypy --config-file package/pyproject.toml package/src');
  });

  it.each(['whl', 'tar.gz'])(
    'works with a running service, installed from a .%s file',
    async (extension) => {
      await run(`-m build --no-isolation --outdir files package`);
      const file = readdirSync(join(directory, 'files')).find((name) => name.endsWith(extension));
      await run(
        `-m pip install -q --no-index --no-build-isolation --no-deps --force-reinstall --target ${extension} files/${file ?? ''}`,
      );
      const service = await ServiceForClients.start();
      try {
        const env = {
          ORIGIN: service.origin,
          API_KEY: service.key,
          SIGNED: JSON.stringify(signed()),
          PYTHONPATH: join(directory, extension),
        };
        const program = join(__dirname, 'programs/python_package_test.py');
        const { code, stderr } = await runTool('python', [program], { directory, env });
        expect({ code, stderr }).toEqual({
          code: 0,
          stderr: expect.stringMatching(/Ran 15 tests[^]*OK/),
        });
      } finally {
        await service.stop();
      }
    },
  );
});
