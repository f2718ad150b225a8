import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Returns a metric of a service.
 * @param name Name without its prefix, with the labels if it has some.
 * @returns 0 if the service has no such metric yet.
 */
export async function metricOf(port: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
  const line = (await response.text()).split('\n').find((one) => one.includes(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}
