import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { collect } from '../../support/built-program';
import type { Request } from './history';

/** Passes the requests of a copier on, makes the changes of a history meanwhile, and kills the copier. */
export class CopierProcess {
  private child: ChildProcess | undefined;
  private error: Error | undefined;

  private constructor(
    private readonly server: Server,
    private readonly command: readonly string[],
  ) {}

  /**
   * @param command Program and arguments; `URL` stands for the origin to which requests are sent.
   * @param next Returns what happens to the next request.
   * @param make Makes changes of the history.
   */
  static async create(
    origin: string,
    command: readonly string[],
    next: () => Request | undefined,
    make: (steps: number) => Promise<void>,
  ): Promise<CopierProcess> {
    const server = createServer((incoming, response) => {
      const plan = next() ?? { before: 0, during: 0, bytes: 0, fault: 'none' };
      const pass = async (): Promise<void> => {
        await make(plan.before);
        if (plan.fault === 'expire') {
          response.writeHead(410).end('{}');
          return;
        }
        const headers = { ...incoming.headers, connection: 'close' };
        const sent = httpRequest(`${origin}${incoming.url ?? ''}`, { headers }).end();
        const [received] = (await once(sent, 'response')) as [NodeJS.ReadableStream & Received];
        response.writeHead(received.statusCode ?? 0, received.headers);
        await copier.passBody(received, response, plan, make);
      };
      pass().catch((error: unknown) => {
        copier.error ??= error instanceof Error ? error : new Error(String(error));
        response.destroy();
        copier.child?.kill('SIGKILL');
      });
    });
    const copier = new CopierProcess(server, command);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return copier;
  }

  /** Runs the copier until it ends, and returns whether it ended by itself, with a copy up to date. */
  async run(): Promise<boolean> {
    const { port } = this.server.address() as AddressInfo;
    const [program = '', ...args] = this.command.map((part) =>
      part.replace('URL', `http://127.0.0.1:${String(port)}`),
    );
    this.child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = collect(this.child.stderr);
    const [code, signal] = (await once(this.child, 'close')) as [number | null, string | null];
    if (this.error !== undefined) throw this.error;
    if (signal === 'SIGKILL') return false;
    if (code !== 0) throw new Error(`The copier failed: ${stderr()}`);
    return true;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async passBody(
    received: NodeJS.ReadableStream & Received,
    response: ServerResponse,
    { during, bytes, fault }: Request,
    make: (steps: number) => Promise<void>,
  ): Promise<void> {
    let passed = 0;
    let isMade = false;
    for await (const chunk of received as AsyncIterable<Buffer>) {
      const isHere = passed + chunk.length > bytes;
      const head = isHere ? chunk.subarray(0, Math.max(bytes - passed, 0)) : chunk;
      response.write(head);
      passed += chunk.length;
      if (isHere && !isMade) {
        isMade = true;
        await make(during);
        if (fault === 'kill' || fault === 'break') {
          this.fail(fault, response.socket);
          return;
        }
      }
      response.write(chunk.subarray(head.length));
    }
    response.end();
    // The copier has the whole response, and stores it now.
    if (fault === 'kill') this.fail(fault, null);
  }

  private fail(fault: 'kill' | 'break', socket: Socket | null): void {
    if (fault === 'kill') this.child?.kill('SIGKILL');
    else socket?.destroy();
  }
}

interface Received {
  readonly statusCode?: number;
  readonly headers: Record<string, string>;
}
