import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collect, startBuilt } from '../support/built-program';

export interface ClientAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the integrators' command line, as `npm run -s datagrid -- …` does. */
export async function client(url: string, key: string, ...args: string[]): Promise<ClientAnswer> {
  const child = startBuilt('client/main.js', args, { DATAGRID_URL: url, DATAGRID_API_KEY: key });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

/** What a proxy does with a call instead of passing it on. */
export type Fault = 'unavailable' | 'refuses' | 'cuts the answer' | 'loses the answer';

/** Stands before the service and makes the first calls fail. */
export class FaultyProxy {
  calls = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param faults Of the first calls, in order. */
  static async start(port: number, faults: readonly Fault[]): Promise<FaultyProxy> {
    const server = createServer((received, answer) => {
      const fault = faults[proxy.calls];
      proxy.calls += 1;
      if (fault === 'unavailable') {
        received.resume();
        answer.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      if (fault === 'refuses') {
        received.socket.destroy();
        return;
      }
      const { method, url, headers } = received;
      const passed = request({ port, host: '127.0.0.1', method, path: url, headers }, (got) => {
        if (fault === 'loses the answer') {
          got.resume().on('end', () => answer.destroy());
          return;
        }
        answer.writeHead(got.statusCode ?? 0, got.rawHeaders);
        got.on('data', (chunk: Buffer) => {
          answer.write(chunk.subarray(0, fault === 'cuts the answer' ? 2 : chunk.length));
        });
        got.on('end', () => {
          if (fault === 'cuts the answer') {
            answer.destroy();
            return;
          }
          answer.addTrailers(got.trailers);
          answer.end();
        });
      });
      received.pipe(passed);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: own } = server.address() as AddressInfo;
    const proxy = new FaultyProxy(server, `http://127.0.0.1:${String(own)}`);
    return proxy;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
