import { ConnectionError, ImportError, SourceError } from './error.ts';
import { importFile, type ImportSource } from './import.ts';
import type { ImportReport } from './import-report.ts';
import { type Answer, broken, failure, fakeTransport, json } from './testing/fake-fetch.ts';

const completed = { id: 'i', state: 'completed', nextLine: null } as const;
const failed = { id: 'i', state: 'failed', nextLine: 5001 };

/** Reads the body of a request, as a service does, and completes the import. */
const received: string[] = [];
const complete: Answer = async ({ body }) => {
  received.push(await new Response(body as BodyInit).text());
  return Response.json({ data: completed });
};
/** The connection breaks after the body was sent. */
const lost: Answer = async (sent) => {
  received.push(await new Response(sent.body as BodyInit).text());
  return broken(sent, {});
};

beforeEach(() => {
  received.length = 0;
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

async function* lines(): AsyncGenerator<string | Uint8Array> {
  yield 'n\n';
  yield await Promise.resolve(new TextEncoder().encode('1\n'));
}

const importWith = (
  answers: readonly Answer[],
  source: ImportSource,
): Promise<ImportReport> & { sent?: unknown } => {
  const { transport } = fakeTransport(answers);
  return importFile(transport, '/datagrids/1', source, { format: 'csv' });
};

describe('an import', () => {
  it.each([
    ['a text', 'n\n1\n'],
    ['bytes', new TextEncoder().encode('n\n1\n')],
    ['a blob', new Blob(['n\n1\n'])],
    ['a function that opens an iterable', lines],
    ['a function that opens a stream', () => new Blob(['n\n1\n']).stream()],
  ] as const)('of %s is sent again with the same key', async (_, source) => {
    const { transport, sent } = fakeTransport([lost, complete]);
    await importFile(transport, '/datagrids/1', source, { format: 'csv' });
    expect(received).toEqual(['n\n1\n', 'n\n1\n']);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).not.toBeNull();
  });

  it.each([
    ['an iterable', lines],
    ['a stream', () => new Blob(['n\n1\n']).stream()],
  ] as const)('of %s is not sent twice', async (_, open) => {
    await expect(importWith([lost], open())).rejects.toBeInstanceOf(ConnectionError);
    expect(await importWith([complete], open())).toEqual(completed);
    expect(received).toEqual(['n\n1\n', 'n\n1\n']);
  });

  it('describes the file in its headers and parameters', async () => {
    const { transport, sent } = fakeTransport([complete]);
    await importFile(transport, '/datagrids/1', lines(), {
      format: 'ndjson',
      mode: 'upsert',
      matchOn: ['a', 'b'],
      startLine: 3,
      ignoreReadOnly: true,
      isGzip: true,
      bytes: 4,
    });
    const [{ url, headers } = { url: new URL('x:'), headers: new Headers() }] = sent;
    expect(url.pathname).toBe('/api/v1/public/datagrids/1/rows/import');
    const query = { mode: 'upsert', matchOn: 'a,b', startLine: '3', ignoreReadOnly: 'true' };
    expect(Object.fromEntries(url.searchParams)).toEqual(query);
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('content-length')).toBe('4');
  });

  it('is followed until it ends', async () => {
    const running = { id: 'i', state: 'running', rowsRead: 7 };
    const seen: number[] = [];
    const { transport, sent } = fakeTransport([
      json({ data: running }, { status: 202 }),
      json({ data: completed }),
    ]);
    const onProgress = ({ rowsRead }: ImportReport): unknown => seen.push(rowsRead);
    const options = { format: 'csv', onProgress } as const;
    expect(await importFile(transport, '/datagrids/1', 'n\n', options)).toEqual(completed);
    expect(seen).toEqual([7]);
    expect(sent[1]?.url.pathname).toBe('/api/v1/public/datagrids/1/imports/i');
  });

  it('that failed has its report, and is not started again', async () => {
    const location = '/api/v1/public/datagrids/1/imports/i';
    const headers = { location, 'retry-after': '0' };
    const answers = [failure(503, 'unavailable', headers), json({ data: failed })];
    const error = await importWith(answers, 'n\n').catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ImportError);
    expect(error).toMatchObject({
      message: 'Duplicate value.',
      report: failed,
      cause: { status: 503, code: 'unavailable' },
    });
    const later = [json({ data: { ...failed, state: 'running' } }), json({ data: failed })];
    await expect(importWith(later, 'n\n')).rejects.toMatchObject({ report: failed });
  });

  it('fails with the error of its source, and is not sent again', async () => {
    async function* cut(): AsyncGenerator<string> {
      yield 'n\n';
      await Promise.reject(new Error('disk on fire'));
    }
    const error = importWith([lost], cut);
    await expect(error).rejects.toBeInstanceOf(SourceError);
    await expect(error).rejects.toThrow('Cannot read the file: disk on fire');
  });

  it('closes a source that was not read to its end', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('n\n');
      } finally {
        isClosed = true;
      }
    }
    const early: Answer = async (sent, init) => {
      await (sent.body as ReadableStream).getReader().read();
      return failure(400, 'invalid_request')(sent, init);
    };
    await expect(importWith([early], endless)).rejects.toMatchObject({ status: 400 });
    expect(isClosed).toBe(true);
  });
});
