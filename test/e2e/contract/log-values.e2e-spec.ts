import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

// Long enough that no id or time contains it by chance.
const NUMBER = '471104711047';
const HUSH = `hush-${NUMBER} " and more`;

interface LoggedError {
  readonly code?: string;
  readonly constraint?: string;
  readonly statement?: string;
  readonly message: string;
  readonly stack: string;
}

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { LOCK_TIMEOUT_MS: '100', LOG_LEVEL: 'trace' } });
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'a', type: 'text' }])}/rows`;
});

afterAll(() => app.close());

/**
 * Returns the logged error of a response, and asserts that the log contains nothing of the body.
 */
async function loggedFor(response: ApiResponse): Promise<LoggedError> {
  return ((await lineFor(response, 'error')) as { err: LoggedError }).err;
}

async function lineFor(response: ApiResponse, level: 'error' | 'warn'): Promise<object> {
  const id = response.headers.get('x-request-id') ?? '';
  const line = await eventually(() =>
    app.logs.find((each) => each.includes(id) && each.includes(`"level":"${level}"`)),
  );
  const log = app.logs.join('');
  for (const part of ['hush', NUMBER, 'and more']) expect(log).not.toContain(part);
  return JSON.parse(line) as object;
}

/** Sends a request while a check constraint of the table makes it fail. */
async function whileChecked(
  table: string,
  check: string,
  call: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  await app.sql.query(`ALTER TABLE ${table} ADD CONSTRAINT checked CHECK (${check}) NOT VALID`);
  try {
    return await call();
  } finally {
    await app.sql.query(`ALTER TABLE ${table} DROP CONSTRAINT checked`);
  }
}

describe('a value of a request body', () => {
  it('is not logged if PostgreSQL reports it in the details of a failed check', async () => {
    const response = await whileChecked('rows', `NOT "values" ? 'a'`, () =>
      owner.api.post(rows, { values: { a: HUSH } }),
    );
    expect(response.status).toBe(500);
    const err = await loggedFor(response);
    expect(err).toMatchObject({ code: '23514', constraint: 'checked', statement: 'row-create' });
    expect(err.message).toBe('new row for relation "rows" violates check constraint "checked"');
    expect(err.stack).toMatch(/^DatabaseError: new row for .*\n {4}at /);
  });

  it('is not logged if PostgreSQL quotes it in its message', async () => {
    const response = await whileChecked('rows', `("values" ->> 'a')::int > 0`, () =>
      owner.api.post(rows, { values: { a: HUSH } }),
    );
    expect(response.status).toBe(500);
    const err = await loggedFor(response);
    expect(err).toMatchObject({ code: '22P02', statement: 'row-create' });
    expect(err.message).toBe('invalid input syntax for type integer: "…"');
  });

  it('is not logged if it is a TypeORM parameter of a request that returns 500', async () => {
    const response = await whileChecked('workspaces', `description = ''`, () =>
      owner.api.post('/workspaces', { name: 'W', description: HUSH }),
    );
    expect(response.status).toBe(500);
    const err = await loggedFor(response);
    expect(err).toMatchObject({ code: '23514', constraint: 'checked' });
    expect(err.statement).toMatch(/^INSERT INTO "workspaces".*\$1/);
  });

  it('is not logged if it is a TypeORM parameter of a request that returns 503', async () => {
    const other = await app.sql.connect();
    try {
      // Inserts the same name in an open transaction, for which the request must wait.
      await other.query('BEGIN');
      await other.query(
        `INSERT INTO datagrids (id, account_id, workspace_id, name, name_key, description,
           created_at, updated_at)
         SELECT gen_random_uuid(), account_id, id, 'x', $2, '', now(), now()
         FROM workspaces WHERE id = $1`,
        [await workspaceOf(rows), HUSH],
      );
      const path = `/workspaces/${await workspaceOf(rows)}/datagrids`;
      const response = await owner.api.post(path, { name: HUSH });
      expect(response.status).toBe(503);
      expect(await lineFor(response, 'warn')).not.toHaveProperty('err');
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  });
});

describe('a write that waits too long for the conversion of a column', () => {
  it('returns 503 with a time to retry, and is one line of the log without a stack', async () => {
    const other = await app.sql.connect();
    try {
      await other.query('BEGIN');
      // As a conversion does.
      await other.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
        rows.split('/')[2],
      ]);
      const response = await owner.api.post(rows, { values: { a: 'x' } });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      const message =
        'Another change, such as a conversion of a column, takes long. Nothing was changed. Retry later.';
      expect(response.body.error).toMatchObject({ code: 'unavailable', message });
      const line = await lineFor(response, 'warn');
      expect(line).toMatchObject({ msg: message });
      expect(line).not.toHaveProperty('err');
      const id = response.headers.get('x-request-id') ?? '';
      expect(app.logs.filter((each) => each.includes(id) && each.includes('stack'))).toEqual([]);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  });
});

async function workspaceOf(path: string): Promise<string> {
  return (await owner.api.get(path.replace(/\/rows$/, ''))).body.data.workspaceId;
}
