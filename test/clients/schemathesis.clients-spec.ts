import { describeWithTools, runTool, ServiceForClients } from './tools';

/**
 * Seconds of sequences of requests, which repeat until then. Other phases end by themselves. As long as too
 * few links are covered, as on a busy machine, the sequences run again for twice as long.
 */
const SEQUENCE_SECONDS = 10;
const MAX_SEQUENCE_SECONDS = 80;
const MIN_LINKS = 6;

/** The service has no limits here that would end the run. */
const NO_LIMITS = {
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  webhookTestLimit: 1_000_000,
  MAX_WEBHOOKS_PER_ACCOUNT: '1000000',
  connectionTestLimit: 1_000_000,
  scheduledImportRequestLimit: 1_000_000,
  MAX_CONNECTIONS_PER_ACCOUNT: '1000000',
  // A busy machine may be slow.
  LOCK_TIMEOUT_MS: '60000',
  STATEMENT_TIMEOUT_MS: '60000',
  maxEventLoopDelayMs: 60_000,
};

describeWithTools('the service under Schemathesis', () => {
  let service: ServiceForClients;

  beforeAll(async () => {
    service = await ServiceForClients.start(NO_LIMITS);
  });

  afterAll(() => service.stop());

  /** Runs phases that must not find a failure, and returns the summary. */
  const run = async (args: readonly string[]): Promise<string> => {
    const url = `${service.origin}/api/v1/public/openapi.json`;
    const settings = ['--no-color', '--config-file', 'schemathesis.toml'];
    const { code, stdout, stderr } = await runTool('st', [...settings, 'run', url, ...args], {
      directory: __dirname,
      env: { API_KEY: service.key },
    });
    if (code === 0) return stdout;
    // The sections of errors and failures come between the results of the phases and the summary.
    const found = /^=+ (?:ERRORS|FAILURES) =[^]*?(?=^=+ SUMMARY =)/m.exec(stdout)?.[0];
    throw new Error(found ?? `${stdout}${stderr}`);
  };

  afterEach(async () => {
    expect(service.process.log().filter(({ level }) => level === 'error')).toEqual([]);
    expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200);
  });

  it('responds to valid and invalid requests of every operation as documented', async () => {
    let tested = 0;
    let all = 0;
    // In two parts, each of which takes a minute or more.
    for (const choice of ['include', 'exclude']) {
      const chosen = [`--${choice}-path-regex`, String.raw`/datagrids/\{`];
      const summary = await run(['--phases', 'examples,coverage,fuzzing', ...chosen]);
      const counts = /Selected: \d+\/(\d+)\n\s+Tested: (\d+)/.exec(summary) ?? [];
      all = Number(counts[1]);
      tested += Number(counts[2]);
    }
    expect(tested).toBeGreaterThan(80);
    expect(tested).toBe(all);
  });

  it('responds to sequences of requests along the links as documented', async () => {
    let links = 0;
    let seconds = SEQUENCE_SECONDS;
    for (; links < MIN_LINKS && seconds <= MAX_SEQUENCE_SECONDS; seconds *= 2) {
      const summary = await run(['--phases', 'stateful', '--max-time', String(seconds)]);
      links = Number(/API Links:\s+(\d+) covered/.exec(summary)?.[1]);
    }
    expect(links).toBeGreaterThanOrEqual(MIN_LINKS);
  });
});
