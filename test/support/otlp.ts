import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  /** 2 for an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

type Field = bigint | Buffer;

/** Returns the fields of a Protocol Buffers message by number. */
function fieldsOf(bytes: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const key = Number(varint());
    const type = key & 7;
    const length = (): number => (type === 1 ? 8 : type === 5 ? 4 : Number(varint()));
    const value = type === 0 ? varint() : take(length());
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Map<number, Field[]>, number: number): Map<number, Field[]>[] =>
  (fields.get(number) ?? []).map((field) => fieldsOf(field as Buffer));

const bytesOf = (fields: Map<number, Field[]>, number: number): Buffer =>
  (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);

const numberOf = (fields: Map<number, Field[]>, number: number): number =>
  Number(fields.get(number)?.[0] ?? 0);

function attributesOf(holder: Map<number, Field[]>, number: number): ReceivedSpan['attributes'] {
  const pairs = messages(holder, number).map((pair): [string, string | number] => {
    const value = fieldsOf(bytesOf(pair, 2));
    const text = value.has(1) ? bytesOf(value, 1).toString() : numberOf(value, 3);
    return [bytesOf(pair, 1).toString(), text];
  });
  return Object.fromEntries(pairs);
}

/** A collector of traces: OTLP over HTTP with Protocol Buffers. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly services: unknown[] = [];
  /** All received data as text. */
  raw = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces') collector.take(Buffer.concat(chunks));
        response.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take(body: Buffer): void {
    this.raw += body.toString('latin1');
    for (const resourceSpans of messages(fieldsOf(body), 1)) {
      const [resource] = messages(resourceSpans, 1);
      if (resource) this.services.push(attributesOf(resource, 1)['service.name']);
      for (const scope of messages(resourceSpans, 2)) {
        for (const span of messages(scope, 2)) this.spans.push(readSpan(span));
      }
    }
  }
}

function readSpan(span: Map<number, Field[]>): ReceivedSpan {
  const [status] = messages(span, 15);
  return {
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentId: bytesOf(span, 4).toString('hex'),
    name: bytesOf(span, 5).toString(),
    kind: numberOf(span, 6),
    attributes: attributesOf(span, 9),
    status: status ? numberOf(status, 3) : 0,
  };
}
