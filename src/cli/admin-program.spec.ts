import { adminProgram } from './admin-program';

let told: string;

beforeEach(() => {
  told = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

const OWNER = ['--email', 'a@example.com'];

describe('a wrong call', () => {
  it.each([
    [['account', 'create', '--name', 'A'], "required option '--owner-email <email>' not specified"],
    [['account', 'suspend'], "required option '--account <id>' not specified"],
    [['account', 'remove'], "unknown command 'remove'"],
    [['user', 'create', ...OWNER, '--role', 'viewer'], "option '--account <id>' not specified"],
    [['user', 'create', ...OWNER, '--account', 'x'], "option '--role <role>' not specified"],
    [['user', 'role', ...OWNER, '--role', 'root'], 'choices are viewer, editor, admin, owner'],
    [['user', 'suspend', ...OWNER, '--all'], "unknown option '--all'"],
    [['key', 'create', '--email'], "option '--email <email>' argument missing"],
    [['key', 'create', ...OWNER, '--expires-in', '0d'], "'--expires-in <duration>' argument '0d'"],
    [['key', 'create', ...OWNER, '--expires-in', 'soon'], 'Give a positive whole number'],
    [['key', 'revoke'], "required option '--id <id>' not specified"],
    [['verify', 'everything'], 'too many arguments'],
    [['frobnicate'], "unknown command 'frobnicate'"],
  ])('%j is refused, and named', async (args, message) => {
    const run = adminProgram().parseAsync(args, { from: 'user' });
    await expect(run).rejects.toMatchObject({ exitCode: 1 });
    expect(told).toContain(message);
  });

  it.each([[[]], [['user']]])('%j tells what there is', async (args) => {
    const run = adminProgram().parseAsync(args, { from: 'user' });
    await expect(run).rejects.toMatchObject({ exitCode: 1 });
    expect(told).toContain('Usage: admin');
  });
});
