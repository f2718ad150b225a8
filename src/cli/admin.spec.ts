import { adminProgram } from './admin';

let output: string;

beforeEach(() => {
  output = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

const OWNER = ['--email', 'a@example.com'];

describe('adminProgram', () => {
  it.each([
    [['account', 'create', '--name', 'A'], "required option '--owner-email <email>' not specified"],
    [['account', 'suspend'], "required option '--account <id>' not specified"],
    [['account', 'remove'], "unknown command 'remove'"],
    [['user', 'create', ...OWNER, '--role', 'viewer'], "option '--account <id>' not specified"],
    [['user', 'create', ...OWNER, '--account', 'x'], "option '--role <role>' not specified"],
    [
      ['user', 'role', ...OWNER, '--role', 'root'],
      'choices are member, viewer, editor, admin, owner',
    ],
    [['user', 'suspend', ...OWNER, '--all'], "unknown option '--all'"],
    [['key', 'create', '--email'], "option '--email <email>' argument missing"],
    [['key', 'create', ...OWNER, '--expires-in', '0d'], "'--expires-in <duration>' argument '0d'"],
    [['key', 'create', ...OWNER, '--expires-in', 'soon'], 'Expected a positive integer and a unit'],
    [['key', 'revoke'], "required option '--id <id>' not specified"],
    [['webhook', 'disable'], "required option '--id <id>' not specified"],
    [['webhook', 'list', '--limit', '0'], 'Expected an integer from 1 to 1000'],
    [['verify', 'everything'], 'too many arguments'],
    [['frobnicate'], "unknown command 'frobnicate'"],
  ])('rejects %j and names the error', async (args, message) => {
    const run = adminProgram().parseAsync(args, { from: 'user' });
    await expect(run).rejects.toMatchObject({ exitCode: 1 });
    expect(output).toContain(message);
  });

  it.each([[[]], [['user']]])('prints the usage for %j', async (args) => {
    const run = adminProgram().parseAsync(args, { from: 'user' });
    await expect(run).rejects.toMatchObject({ exitCode: 1 });
    expect(output).toContain('Usage: admin');
  });
});
