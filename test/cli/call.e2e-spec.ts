import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { admin, adminError, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let database: TestDatabase;
let settings: { DATABASE_URL: string };

beforeAll(async () => {
  database = await createTestDatabase();
  settings = { DATABASE_URL: database.url };
});

afterAll(() => database.drop());

describe('an invalid command', () => {
  it('is reported on standard error, and with --json as an object on standard output too', async () => {
    const args = ['account', 'create', '--name', 'A'];
    const response = await adminProcess(settings, ...args);
    expect(response).toMatchObject({ code: 1, stdout: '' });
    expect(response.stderr).toContain("required option '--owner-email <email>' not specified");
    expect(await adminError(settings, ...args)).toEqual({
      code: 'invalid_request',
      message: "required option '--owner-email <email>' not specified",
    });
  });
});

describe('--help', () => {
  it('lists the commands on standard output', async () => {
    const response = await adminProcess(settings, '--help');
    expect(response).toMatchObject({ code: 0, stderr: '' });
    expect(response.stdout).toMatch(/account.*user.*key.*verify/s);
  });
});

describe('an unusable DATABASE_URL', () => {
  it('is reported in one line without the password if the database is unavailable', async () => {
    const url = 'postgres://someone:hunter2@127.0.0.1:1/nothing';
    const response = await adminProcess({ DATABASE_URL: url }, 'verify');
    expect(response).toMatchObject({ code: 1, stdout: '' });
    expect(response.stderr).toMatch(/^error: Cannot reach the database: .*\n$/);
    expect(response.stderr).not.toContain('hunter2');
    expect((await adminError({ DATABASE_URL: url }, 'verify')).code).toBe('unavailable');
  });

  it('is reported without the password if it is not a PostgreSQL URL', async () => {
    const error = await adminError({ DATABASE_URL: 'mysql://hunter2' }, 'verify');
    expect(error.message).toMatch(/^Wrong setting: DATABASE_URL must be /);
    expect(error.message).not.toContain('hunter2');
  });
});

describe('without --json', () => {
  it('a command prints its result as a sentence', async () => {
    const args = ['account', 'create', '--name', 'Words', '--owner-email', 'words@example.com'];
    expect(await adminProcess(settings, ...args)).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Created account \S+ with owner words@example\.com \(user \S+\)\.\n$/,
      ),
      stderr: '',
    });
    const { stdout } = await admin(settings, 'key', 'create', '--email', 'words@example.com');
    expect(stdout).toMatch(
      /^mk_[0-9A-Za-z]{36}\nKey \S+ of words@example\.com, does not expire\. It is shown only once\.\n$/,
    );
  });
});
