import { ConnectionError } from './error.ts';
import { exportFile } from './export.ts';
import { type Answer, fakeTransport, parts } from './testing/fake-fetch.ts';

const END = '{"_end":{"rows":2}}\n';

async function readWith(answer: Answer): Promise<{ text: string; rows: number }> {
  const { transport } = fakeTransport([answer]);
  const { body, rows } = await exportFile(transport, '/datagrids/1', { format: 'csv' });
  return { text: await new Response(body).text(), rows: await rows };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('an export', () => {
  it('is the file without its end line, wherever the parts begin', async () => {
    const file = `name\n${'ü'.repeat(60)}\nb\n`;
    const sent = bytes(`${file}${END}`);
    for (let at = 0; at <= sent.length; at += 1) {
      const answer = parts([sent.subarray(0, at), sent.subarray(at)]);
      expect(await readWith(answer)).toEqual({ text: file, rows: 2 });
    }
    const single = Array.from(sent, (byte) => Uint8Array.of(byte));
    expect(await readWith(parts(single))).toEqual({ text: file, rows: 2 });
  });

  it('can be empty', async () => {
    const answer = parts([bytes('{"_end":{"rows":0}}\n')]);
    expect(await readWith(answer)).toEqual({ text: '', rows: 0 });
  });

  it.each([
    '',
    'a\nb\n',
    `a\n${END.slice(0, -1)}`,
    `a\n${END}b\n`,
    `a\nb${END}`,
    'a\n{"_end":{"rows":}}\n',
  ])('has ended early if its last line is not the end line: %j', async (text) => {
    await expect(readWith(parts([bytes(text)]))).rejects.toThrow('The export ended early.');
  });

  it('has ended early if the connection breaks, even after the last row', async () => {
    const answer = parts([bytes(`a\n${END}`)], true);
    const { transport } = fakeTransport([answer]);
    const { body, rows } = await exportFile(transport, '/datagrids/1', {});
    await expect(new Response(body).text()).rejects.toBeInstanceOf(ConnectionError);
    await expect(rows).rejects.toBeInstanceOf(ConnectionError);
  });

  it('asks for the end line, and for the encoding only if it is chosen', async () => {
    const answer = parts([bytes(END)]);
    const { transport, sent } = fakeTransport([answer, answer, answer]);
    for (const compress of [undefined, true, false]) {
      await exportFile(transport, '/datagrids/1', { filter: { a: 1 }, sort: 'a', compress });
    }
    const query = { endLine: 'true', filter: '{"a":1}', sort: 'a' };
    expect(Object.fromEntries(sent[0]?.url.searchParams ?? [])).toEqual(query);
    const encodings = sent.map(({ headers }) => headers.get('accept-encoding'));
    expect(encodings).toEqual([null, 'gzip', 'identity']);
  });

  it('ends with the reason of the signal', async () => {
    const stopping = new AbortController();
    const endless = parts(Array.from({ length: 100 }, () => bytes('a\n'.repeat(100))));
    const { transport } = fakeTransport([endless]);
    const { signal } = stopping;
    const { body } = await exportFile(transport, '/datagrids/1', { signal });
    const reader = body.getReader();
    await reader.read();
    const reason = new Error('Enough.');
    stopping.abort(reason);
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toBe(reason);
  });
});
