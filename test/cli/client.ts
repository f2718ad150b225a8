import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { collect, startBuilt } from '../support/built-program';

const COMMAND_LINE = join(__dirname, '../../packages/command-line/dist');

export interface ClientResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the integrators' command line. */
export function startClient(url: string, key: string, ...args: string[]): ChildProcess {
  const settings = { DATAGRID_URL: url, DATAGRID_API_KEY: key };
  return startBuilt('main.js', args, settings, { directory: COMMAND_LINE });
}

/** Runs the integrators' command line, as `npm run -s datagrid -- …` does. */
export async function client(url: string, key: string, ...args: string[]): Promise<ClientResult> {
  const child = startClient(url, key, ...args);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Fault of the proxy for one request. */
export type Fault =
  | 'none'
  | 'unavailable'
  | 'rejects'
  | 'cuts the response'
  /** Ends a response after half of it as if it were complete, as some proxies do. */
  | 'shortens the response'
  /** Closes the connection after the service has responded. */
  | 'loses the response';

/** A proxy in front of the service that makes the first requests fail. */
export class FaultyProxy {
  calls = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param faults Faults of the first requests, in order. */
  static async start(port: number, faults: readonly Fault[]): Promise<FaultyProxy> {
    const server = createServer((received, response) => {
      const fault = faults[proxy.calls];
      proxy.calls += 1;
      if (fault === 'unavailable') {
        received.resume();
        response.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      if (fault === 'rejects') {
        received.socket.destroy();
        return;
      }
      const { method, url, headers } = received;
      const passed = request({ port, host: '127.0.0.1', method, path: url, headers }, (got) => {
        if (fault === 'loses the response') {
          got.resume().on('end', () => response.destroy());
          return;
        }
        response.writeHead(got.statusCode ?? 0, got.rawHeaders);
        const isCut = fault === 'cuts the response';
        const isShort = fault === 'shortens the response';
        const kept: Buffer[] = [];
        got.on('data', (chunk: Buffer) => {
          if (isShort) kept.push(chunk);
          else response.write(chunk.subarray(0, isCut ? 2 : chunk.length));
        });
        got.on('end', () => {
          if (isCut) {
            response.destroy();
            return;
          }
          const whole = Buffer.concat(kept);
          if (isShort) response.write(whole.subarray(0, whole.length / 2));
          response.addTrailers(got.trailers);
          response.end();
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
