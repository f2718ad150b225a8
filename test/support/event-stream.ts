import { get, type IncomingMessage } from 'node:http';
import type { Json } from './api-client';

/** An event of a stream, with its data parsed. */
export interface StreamEvent {
  readonly id: string;
  readonly data: Json;
}

/** Reads server-sent events of one response. */
export class EventStream {
  headers: IncomingMessage['headers'] = {};
  /** Status of the response; 0 if there is none. */
  status = 0;
  /** Number of comments, which keep the connection open. */
  comments = 0;
  /** Resolves when the response is complete or its connection is closed. */
  readonly ended: Promise<void>;
  private readonly arrived: StreamEvent[] = [];
  private wake: () => void = () => undefined;
  isEnded = false;
  private readonly request;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const accept = { accept: 'text/event-stream' };
    this.request = get(url, { agent: false, headers: { ...accept, ...headers } });
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.isEnded = true;
        this.wake();
        resolve();
      };
      this.request.on('error', end);
      this.request.on('response', (response) => {
        this.headers = response.headers;
        this.status = response.statusCode ?? 0;
        response.setEncoding('utf8').on('close', end).on('error', end);
        this.read(response);
      });
    });
  }

  /** Waits for the next event. @throws if the stream ends */
  async next(): Promise<StreamEvent> {
    for (;;) {
      const event = this.arrived.shift();
      if (event) return event;
      if (this.isEnded) throw new Error('The stream has ended.');
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.request.destroy();
  }

  private read(response: IncomingMessage): void {
    let rest = '';
    response.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.take(part);
      this.wake();
    });
  }

  private take(part: string): void {
    const lines = part.split('\n');
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const [id, data] = [field('id'), field('data')];
    if (data === undefined) this.comments += 1;
    else this.arrived.push({ id: id ?? '', data: JSON.parse(data) });
  }
}
