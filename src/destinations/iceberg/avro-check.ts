/** The types that manifests have. */
export type AvroSchema =
  | 'null'
  | 'int'
  | 'long'
  | 'string'
  | 'bytes'
  | readonly AvroSchema[]
  | { readonly type: 'map'; readonly values: AvroSchema }
  | { readonly type: 'array'; readonly items: AvroSchema; readonly logicalType?: string }
  | {
      readonly type: 'record';
      readonly name: string;
      readonly fields: readonly { readonly type: AvroSchema }[];
    };

/** Bytes of a long at most. */
const MAX_LONG_BYTES = 10;

/**
 * Checks that a value is whole, before it is decoded: the library that decodes it believes any number of
 * items, and makes an item of nothing for each that is missing. Takes time for the bytes of the value.
 * @throws Error if the bytes end before the value.
 */
export function requireWhole(schema: AvroSchema, bytes: Buffer, from: number): void {
  new Cursor(bytes, from).skip(schema);
}

class Cursor {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  skip(schema: AvroSchema): void {
    if (schema === 'null') return;
    if (schema === 'int' || schema === 'long') this.readLong();
    else if (schema === 'string' || schema === 'bytes') this.advance(this.readLong());
    else if (isUnion(schema)) this.skip(this.branchOf(schema));
    else if (schema.type === 'record') for (const { type } of schema.fields) this.skip(type);
    else if (schema.type === 'array') this.skipBlocks([schema.items]);
    else this.skipBlocks(['string', schema.values]);
  }

  private branchOf(schema: readonly AvroSchema[]): AvroSchema {
    const branch = schema[this.readLong()];
    if (branch === undefined) throw new Error('no such branch');
    return branch;
  }

  /** Skips blocks of items, of which each has at least a byte. The last block is empty. */
  private skipBlocks(item: readonly AvroSchema[]): void {
    for (let count = this.readLong(); count !== 0; count = this.readLong()) {
      // A negative number is followed by the size of the block.
      if (count < 0) this.readLong();
      const items = Math.abs(count);
      if (items > this.bytes.length - this.at) throw new Error('truncated');
      for (let n = 0; n < items; n += 1) for (const part of item) this.skip(part);
    }
  }

  private advance(length: number): void {
    if (length < 0 || length > this.bytes.length - this.at) throw new Error('truncated');
    this.at += length;
  }

  /** Reads a zigzag number. One beyond the exact integers of JavaScript is only known to be large. */
  private readLong(): number {
    let [value, factor] = [0, 1];
    for (let n = 0; n < MAX_LONG_BYTES; n += 1) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw new Error('truncated');
      this.at += 1;
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new Error('too large');
  }
}

const isUnion = (schema: AvroSchema): schema is readonly AvroSchema[] => Array.isArray(schema);
