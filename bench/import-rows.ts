import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { RowFile } from './row-file';
import type { ServerProcess } from './server-process';

/** A datagrid of a service, and the key to it. */
export interface Place {
  readonly service: ServerProcess;
  readonly key: string;
  readonly datagridId: string;
}

/** Sends a file to be imported, as fast as it is taken, and waits until all of it is written. */
export async function importRows(
  { service, key, datagridId }: Place,
  file: RowFile,
): Promise<void> {
  const sent = request({
    port: service.port,
    method: 'POST',
    path: `/api/v1/public/datagrids/${datagridId}/rows/import`,
    headers: { authorization: `Bearer ${key}`, 'content-type': file.type },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of file.chunks) if (!sent.write(chunk)) await once(sent, 'drain');
  sent.end();
  const [answer] = await answered;
  let text = '';
  for await (const part of answer) text += String(part);
  if (answer.statusCode === 201) return;
  if (answer.statusCode !== 202) throw new Error(`The import was answered by ${text}`);
  await completed(service.port, key, answer.headers.location ?? '');
}

async function completed(port: number, key: string, location: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${location}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await answer.json()) as { data: { state: string } };
    if (data.state === 'completed') return;
    if (data.state !== 'running') throw new Error(`The import has ${data.state}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
