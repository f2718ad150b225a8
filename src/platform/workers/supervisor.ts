import { type DynamicModule, Global, Module } from '@nestjs/common';

/** Name of a call between a worker and its supervisor, with the types of its request and response. */
export interface Call<Request, Response> {
  readonly name: string;
  /** For the compiler only. */
  readonly types?: (request: Request) => Response;
}

/** Declares a call. Its request and response are sent as JSON. */
export function call<Request, Response = void>(name: string): Call<Request, Response> {
  return { name };
}

/** A call that is sent. Without an id, no response is expected. */
interface SentCall {
  readonly call: string;
  readonly id?: number;
  readonly request: unknown;
}

type SentResponse =
  | { readonly id: number; readonly response: unknown }
  | { readonly id: number; readonly error: string };

interface Waiting {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Handler = (request: unknown) => unknown;

/** Thrown if the process at the other end has ended. */
export class ChannelClosedError extends Error {}

/** One end of the connection between a worker and its supervisor. Both ends call and respond. */
export class Channel {
  private readonly handlers = new Map<string, Handler>();
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private isClosed = false;

  /** @param send Sends a message. Does not throw if the process at the other end has ended. */
  constructor(private readonly send: (message: object) => void) {}

  /** Sets what responds to a call. There is one handler for each. */
  handle<Request, Response>(
    { name }: Call<Request, Response>,
    handler: (request: Request) => Response | Promise<Response>,
  ): void {
    this.handlers.set(name, handler as Handler);
  }

  /**
   * Calls the other end.
   * @throws ChannelClosedError if it has ended, or ends before it responds; Error if its handler fails.
   */
  call<Request, Response>({ name }: Call<Request, Response>, request: Request): Promise<Response> {
    if (this.isClosed) return Promise.reject(closed());
    this.lastId += 1;
    const id = this.lastId;
    return new Promise<Response>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.send({ call: name, id, request } satisfies SentCall);
    });
  }

  /** Calls the other end, which does not respond. */
  tell<Request>({ name }: Call<Request, void>, request: Request): void {
    if (!this.isClosed) this.send({ call: name, request } satisfies SentCall);
  }

  /** Receives a message of the other end. */
  receive(message: unknown): void {
    if (isCall(message)) void this.respond(message);
    else if (isResponse(message)) this.settle(message);
  }

  /** Fails all calls that wait for a response, and later ones. */
  close(): void {
    this.isClosed = true;
    for (const { reject } of this.waiting.values()) reject(closed());
    this.waiting.clear();
  }

  private async respond({ call: name, id, request }: SentCall): Promise<void> {
    try {
      const response = await this.handlers.get(name)?.(request);
      if (id !== undefined) this.sendOpen({ id, response });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (id !== undefined) this.sendOpen({ id, error: reason });
    }
  }

  private sendOpen(response: SentResponse): void {
    if (!this.isClosed) this.send(response);
  }

  private settle(message: SentResponse): void {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.response);
  }
}

function closed(): ChannelClosedError {
  return new ChannelClosedError('The other process has ended.');
}

function isCall(message: unknown): message is SentCall {
  return typeof message === 'object' && message !== null && 'call' in message;
}

function isResponse(message: unknown): message is SentResponse {
  return typeof message === 'object' && message !== null && 'id' in message;
}

/** What a supervisor tells a worker that it has started. */
export interface WorkerOrder {
  /** Number of the worker, from 1. One that replaces another has its number. */
  readonly number: number;
  /** Port on which all workers listen. */
  readonly port: number;
  /** URL of the database, which the supervisor has opened if it is the embedded one. */
  readonly databaseUrl: string;
  readonly isEmbedded: boolean;
  /**
   * Whether the worker is the first of its instance: it migrates, and listens while it waits for the
   * database. Others start when it is ready.
   */
  readonly isFirst: boolean;
}

/** A worker asks what to do. */
export const JOIN = call<null, WorkerOrder>('join');
/** A worker serves requests at this URL. */
export const READY = call<{ readonly url: string }>('ready');

/** The supervisor of this process, which is one of the workers of an instance. */
export class Supervisor {
  private isGone = false;

  constructor(
    readonly order: WorkerOrder,
    readonly channel: Channel,
    /** Settles when the supervisor has ended, even if it was killed. */
    readonly lost: Promise<void>,
  ) {
    void lost.then(() => {
      this.isGone = true;
    });
  }

  get isLost(): boolean {
    return this.isGone;
  }
}

/** Provides the supervisor to all modules; `null` if this process is the whole instance. */
@Global()
@Module({})
export class SupervisorModule {
  static of(supervisor: Supervisor | null): DynamicModule {
    return {
      module: SupervisorModule,
      providers: [{ provide: Supervisor, useValue: supervisor }],
      exports: [Supervisor],
    };
  }
}
