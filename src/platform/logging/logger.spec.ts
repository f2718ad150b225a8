import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { createLogger, flushLog, LogDestination } from './logger';

describe('the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'datagrid-log-'));
  const file = join(folder, 'log');
  let fd: number;

  beforeEach(() => {
    fd = openSync(file, 'w');
  });

  afterEach(() => {
    closeSync(fd);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function numbers(): number[] {
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line) => (JSON.parse(line) as { n: number }).n);
  }

  it.each([1, 10, 1_000])('has all of %d lines in order after a flush', async (count) => {
    const logger = createLogger({ logLevel: 'info' }, new LogDestination(fd));
    for (let n = 0; n < count; n += 1) logger.pino.info({ n, text: 'é'.repeat(100) }, 'request');
    await flushLog(logger);
    expect(numbers()).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('calls back from a flush without lines', async () => {
    const logger = createLogger({ logLevel: 'info' }, new LogDestination(fd));
    await flushLog(logger);
    expect(numbers()).toEqual([]);
  });

  it.each([
    ['calls process.exit', 'process.exit(0)'],
    ['has nothing left to do', ''],
  ])('has the last lines of a process that %s', (_, end) => {
    const built = join(__dirname, '../../../dist/src/platform/logging/logger.js');
    const program = `
      const { createLogger, LogDestination } = require(process.argv[1]);
      createLogger({ logLevel: 'info' }, new LogDestination(1)).pino.info({ n: 1 }, 'request');
      ${end}`;
    expect(
      spawnSync(process.execPath, ['-e', program, built], { stdio: ['ignore', fd] }).status,
    ).toBe(0);
    expect(numbers()).toEqual([1]);
  });
});
