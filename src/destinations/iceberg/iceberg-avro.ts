import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Type } from 'avsc';
import { DestinationError } from '../destination';
import { type AvroSchema, requireWhole } from './avro-check';

const MAGIC = Buffer.from('Obj\u0001', 'latin1');
const SYNC_BYTES = 16;
/** Maximum size of a manifest or of a list of manifests, without compression. */
export const MAX_AVRO_BYTES = 64 * 1024 * 1024;

/** What the header of a file says beside its schema. */
export type AvroHeader = Readonly<Record<string, string>>;

/** What may still be read of several files. Each file counts with its bytes, and those in its blocks. */
export interface AvroBudget {
  records: number;
  bytes: number;
}

/**
 * Files of Avro with records of one type. Only files that have exactly this type are read, so that no
 * schema of anybody else is ever compiled.
 */
export class AvroFileType<T> {
  private readonly schemaText: string;
  private types: AvroTypes | undefined;

  /** @param schema Schema of a record, with the ids of Iceberg. */
  constructor(private readonly schema: AvroSchema & object) {
    this.schemaText = JSON.stringify(schema);
  }

  /** Returns a file of one block. */
  async print(records: readonly T[], header: AvroHeader): Promise<Buffer> {
    const { record, header: headerType } = await this.load();
    const block = deflateRawSync(Buffer.concat(records.map((one) => record.toBuffer(one))));
    const meta = Object.entries({
      ...header,
      'avro.codec': 'deflate',
      'avro.schema': this.schemaText,
    }).map(([key, value]): [string, Buffer] => [key, Buffer.from(value)]);
    const sync = randomBytes(SYNC_BYTES);
    const parts = [MAGIC, headerType.toBuffer(Object.fromEntries(meta)), sync];
    if (records.length > 0) {
      parts.push(await this.long(records.length), await this.long(block.length), block, sync);
    }
    return Buffer.concat(parts);
  }

  /**
   * Returns the records of a file. They have the right types, but any values.
   * @throws DestinationError `inconsistent` if it is not a file of this type.
   */
  async read(file: Buffer, left: AvroBudget): Promise<readonly T[]> {
    const types = await this.load();
    try {
      return this.readBlocks(file, left, types);
    } catch (cause) {
      const message = 'A manifest of the table is not one that this sync has written.';
      throw new DestinationError('inconsistent', message, { cause });
    }
  }

  private readBlocks(file: Buffer, left: AvroBudget, types: AvroTypes): T[] {
    if (!file.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('not an Avro file');
    requireWhole(HEADER, file, MAGIC.length);
    const meta = types.header.decode(file, MAGIC.length) as Decoded<Record<string, Buffer>>;
    const { value: header } = meta;
    if (header?.['avro.schema']?.toString() !== this.schemaText) throw new Error('other schema');
    const records: T[] = [];
    left.bytes -= file.length;
    let offset = meta.offset + SYNC_BYTES;
    while (offset < file.length) {
      const count = decode<number>(types.long, file, offset);
      const size = decode<number>(types.long, file, count.offset);
      left.records -= count.value;
      if (size.value < 0 || count.value < 0 || left.records < 0) throw new Error('too large');
      const end = size.offset + size.value;
      const block = inflateRawSync(file.subarray(size.offset, end), {
        maxOutputLength: Math.max(1, Math.min(MAX_AVRO_BYTES, left.bytes)),
      });
      left.bytes -= block.length;
      if (left.bytes < 0) throw new Error('too large');
      let at = 0;
      for (let n = 0; n < count.value; n += 1) {
        requireWhole(this.schema, block, at);
        const record = decode<T>(types.record, block, at);
        records.push(record.value);
        at = record.offset;
      }
      offset = end + SYNC_BYTES;
    }
    return records;
  }

  private async long(value: number): Promise<Buffer> {
    return (await this.load()).long.toBuffer(value);
  }

  private async load(): Promise<AvroTypes> {
    if (this.types) return this.types;
    const { Type } = await loadLibrary();
    const ofSchema = (schema: object): Type =>
      Type.forSchema(schema as Parameters<typeof Type.forSchema>[0], { wrapUnions: 'never' });
    this.types = {
      record: ofSchema(this.schema),
      header: ofSchema(HEADER),
      long: ofSchema({ type: 'long' }),
    };
    return this.types;
  }
}

const HEADER = { type: 'map', values: 'bytes' } as const;

interface AvroTypes {
  readonly record: Type;
  readonly header: Type;
  readonly long: Type;
}

interface Decoded<V> {
  readonly value?: V;
  readonly offset: number;
}

/** @throws Error if the bytes end before the value. */
function decode<V>(type: Type, bytes: Buffer, from: number): Required<Decoded<V>> {
  const { value, offset } = type.decode(bytes, from) as Decoded<V>;
  if (offset < 0 || value === undefined) throw new Error('truncated');
  return { value, offset };
}

/** Loads the library, which is an optional dependency. */
async function loadLibrary(): Promise<typeof import('avsc')> {
  try {
    // Node finds no names in this CommonJS module, so all are in `default`.
    return (await import('avsc')).default;
  } catch (cause) {
    throw new DestinationError(
      'configuration',
      'The library of Avro is not installed. The operator must install the npm package avsc.',
      { cause },
    );
  }
}
