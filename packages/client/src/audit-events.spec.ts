import { type AuditEventPage, auditEventsOf } from './audit-events.ts';
import { type Answer, failure, fakeTransport, json } from './testing/fake-fetch.ts';

const page = (nextCursor: string, upToDate: boolean, ids: readonly string[] = []): Answer =>
  json({ data: ids.map((id) => ({ id })), meta: { nextCursor, upToDate, pageSize: ids.length } });

async function read(
  answers: readonly Answer[],
  cursor?: string,
): Promise<{ readonly pages: AuditEventPage[]; readonly cursors: (string | null)[] }> {
  const { transport, sent } = fakeTransport(answers);
  const pages: AuditEventPage[] = [];
  for await (const each of auditEventsOf(transport, { cursor })) pages.push(each);
  expect(sent.map(({ url }) => url.pathname)).toEqual(
    answers.map(() => '/api/v1/public/audit-events/feed'),
  );
  return { pages, cursors: sent.map(({ url }) => url.searchParams.get('cursor')) };
}

describe('audit events', () => {
  it('are read from a cursor to the last one', async () => {
    const { pages, cursors } = await read([page('b', false, ['1']), page('c', true, ['2'])], 'a');
    expect(pages).toEqual([
      { events: [{ id: '1' }], cursor: 'b', isUpToDate: false, isRestart: false },
      { events: [{ id: '2' }], cursor: 'c', isUpToDate: true, isRestart: false },
    ]);
    expect(cursors).toEqual(['a', 'b']);
  });

  it('begin with the oldest one if the cursor has expired', async () => {
    const { pages, cursors } = await read(
      [failure(410, 'cursor_expired'), page('b', true, ['1'])],
      'a',
    );
    expect(pages).toEqual([
      { events: [{ id: '1' }], cursor: 'b', isUpToDate: true, isRestart: true },
    ]);
    expect(cursors).toEqual(['a', null]);
  });
});
