import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { admin, adminError } from './admin';

// Each program takes its time to start.
jest.setTimeout(120_000);

let database: TestDatabase;
let settings: { DATABASE_URL: string };

beforeAll(async () => {
  database = await createTestDatabase();
  settings = { DATABASE_URL: database.url };
});

afterAll(() => database.drop());

describe('a wrong call', () => {
  it('is told of on standard error, and in the one object where JSON is asked for', async () => {
    const args = ['account', 'create', '--name', 'A'];
    const answer = await admin(settings, ...args);
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain("required option '--owner-email <email>' not specified");
    expect(await adminError(settings, ...args)).toEqual({
      code: 'invalid_request',
      message: "required option '--owner-email <email>' not specified",
    });
  });
});

describe('--help', () => {
  it('tells what there is, on standard output', async () => {
    const answer = await admin(settings, '--help');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toMatch(/account.*user.*key.*verify/s);
  });
});

describe('a database that cannot be had', () => {
  it('is told of in one line, without the password', async () => {
    const url = 'postgres://someone:hunter2@127.0.0.1:1/nothing';
    const answer = await admin({ DATABASE_URL: url }, 'verify');
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toMatch(/^error: The database cannot be reached: .*\n$/);
    expect(answer.stderr).not.toContain('hunter2');
    expect((await adminError({ DATABASE_URL: url }, 'verify')).code).toBe('unavailable');
  });

  it('is told of where the setting is wrong', async () => {
    const error = await adminError({ DATABASE_URL: 'mysql://hunter2' }, 'verify');
    expect(error.message).toMatch(/^Wrong setting: DATABASE_URL must be /);
    expect(error.message).not.toContain('hunter2');
  });
});

describe('without --json', () => {
  it('a command says in words what it did', async () => {
    const args = ['account', 'create', '--name', 'Words', '--owner-email', 'words@example.com'];
    expect(await admin(settings, ...args)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Account \S+ is made, with words@example\.com .* owner\.\n$/),
      stderr: '',
    });
    const { stdout } = await admin(settings, 'key', 'create', '--email', 'words@example.com');
    expect(stdout).toMatch(/^mk_[0-9A-Za-z]{36}\nKey \S+ of words@example\.com, good until /);
  });
});
