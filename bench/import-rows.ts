import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { RowFile } from './row-file';
import type { ServerProcess } from './server-process';

/** A datagrid of a service, and an API key for it. */
export interface ServiceTarget {
  readonly service: ServerProcess;
  readonly key: string;
  readonly datagridId: string;
}

/** Imports a file as fast as the service reads it, and waits until all rows are written. */
export async function importRows(
  { service, key, datagridId }: ServiceTarget,
  file: RowFile,
): Promise<void> {
  const sent = request({
    port: service.port,
    method: 'POST',
    path: `/api/v1/public/datagrids/${datagridId}/rows/import`,
    headers: { authorization: `Bearer ${key}`, 'content-type': file.type },
  });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of file.chunks) if (!sent.write(chunk)) await once(sent, 'drain');
  sent.end();
  const [response] = await responded;
  let text = '';
  for await (const part of response) text += String(part);
  if (response.statusCode === 201) return;
  if (response.statusCode !== 202) throw new Error(`The import failed: ${text}`);
  await completed(service.port, key, response.headers.location ?? '');
}

async function completed(port: number, key: string, location: string): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${String(port)}${location}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await response.json()) as { data: { state: string } };
    if (data.state === 'completed') return;
    if (data.state !== 'running') throw new Error(`The import has ${data.state}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
