import { ConnectionError } from './error.ts';
import { Sql } from './sql.ts';
import { type Answer, busy, fakeTransport, json, parts, type Sent } from './testing/fake-fetch.ts';

const END = '{"_end":{"rows":3}}\n';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function sqlWith(...answers: readonly Answer[]): { sql: Sql; sent: Sent[] } {
  const { transport, sent } = fakeTransport(answers);
  return { sql: new Sql(transport, 'w 1'), sent };
}

async function rowsOf(answer: Answer): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of sqlWith(answer).sql.rows('SELECT 1')) rows.push(row);
  return rows;
}

describe('a statement', () => {
  it('is sent with its parameters, and returns rows and facts about them', async () => {
    const result = { data: [{ n: 1 }], meta: { columns: [], revisions: {}, truncated: true } };
    const { sql, sent } = sqlWith(busy, json(result));
    expect(await sql.query('SELECT ?', { parameters: ['a', null], limit: 1 })).toEqual(result);
    const [, { url, method, body } = { url: null }] = sent;
    expect([url?.pathname, method]).toEqual(['/api/v1/public/workspaces/w%201/sql', 'POST']);
    expect(JSON.parse(String(body))).toEqual({
      sql: 'SELECT ?',
      parameters: ['a', null],
      limit: 1,
    });
  });

  it('yields its rows, wherever the parts begin', async () => {
    const text = '{"a":"ü"}\n{"a":"two\\nlines"}\n{"a":null}\n';
    const rows = [{ a: 'ü' }, { a: 'two\nlines' }, { a: null }];
    const whole = bytes(`${text}${END}`);
    for (let at = 0; at <= whole.length; at += 1) {
      expect(await rowsOf(parts([whole.subarray(0, at), whole.subarray(at)]))).toEqual(rows);
    }
    expect(await rowsOf(parts([bytes('{"_end":{"rows":0}}\n')]))).toEqual([]);
  });

  it.each([
    ['the connection breaks', parts([bytes('{"a":1}\n')], true)],
    ['the end line is missing', parts([bytes('{"a":1}\n')])],
    ['it is empty', parts([])],
    ['a line is not complete', parts([bytes(`{"a":1}\n${END.slice(0, -1)}`)])],
  ])('has ended early if %s', async (_, answer) => {
    await expect(rowsOf(answer)).rejects.toThrow(ConnectionError);
    await expect(rowsOf(answer)).rejects.toThrow('The result ended early.');
  });

  it('asks for the format of the file and its end line, and is sent again before the file begins', async () => {
    const answer = parts([bytes(`a\n1\n${END}`)]);
    const { sql, sent } = sqlWith(busy, answer, answer);
    const { body, contentType, rows } = await sql.file('SELECT 1 AS a', { format: 'csv' });
    const text = await new Response(body).text();
    expect([text, contentType, await rows]).toEqual(['a\n1\n', 'text/csv', 3]);
    await sql.file('SELECT 1 AS a');
    expect(sent.map(({ headers }) => headers.get('accept'))).toEqual([
      'text/csv',
      'text/csv',
      'application/x-ndjson',
    ]);
    expect(JSON.parse(String(sent[2]?.body))).toEqual({ sql: 'SELECT 1 AS a', endLine: true });
  });

  it('is canceled if its rows are not read to the end', async () => {
    let isCanceled = false;
    const endless = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            controller.enqueue(bytes('{"a":1}\n'));
          },
          cancel: () => {
            isCanceled = true;
          },
        }),
      );
    for await (const row of sqlWith(endless).sql.rows('SELECT 1')) {
      expect(row).toEqual({ a: 1 });
      break;
    }
    expect(isCanceled).toBe(true);
  });
});

it('tables are listed on all pages', async () => {
  const page = (name: string): Answer => json({ data: [{ name }], meta: { totalPages: 2 } });
  const { sql, sent } = sqlWith(page('a'), page('b'));
  const names: string[] = [];
  for await (const { name } of sql.tables()) names.push(name);
  expect(names).toEqual(['a', 'b']);
  expect(sent.map(({ url }) => url.search)).toEqual(['?page=1&limit=200', '?page=2&limit=200']);
});
