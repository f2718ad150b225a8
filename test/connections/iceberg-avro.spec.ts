import { deflateRawSync } from 'node:zlib';
import type { AvroBudget } from '../../src/destinations/iceberg/iceberg-avro';
import {
  ADDED,
  MANIFEST,
  type ManifestEntry,
} from '../../src/destinations/iceberg/iceberg-manifest';

const SYNC = Buffer.alloc(16);
const MIB = 1024 * 1024;
/** Without checks, a hostile file of some bytes would take minutes, or all memory. */
const MAX_GROWTH_BYTES = 200 * MIB;

const entry = (path: string): ManifestEntry => ({
  status: ADDED,
  snapshot_id: 7,
  sequence_number: null,
  file_sequence_number: null,
  data_file: {
    content: 0,
    file_path: path,
    file_format: 'PARQUET',
    partition: {},
    record_count: 3,
    file_size_in_bytes: 400,
    column_sizes: [{ key: 1, value: 2 }],
    value_counts: [],
    null_value_counts: null,
    lower_bounds: [{ key: 1, value: Buffer.from('abc') }],
    upper_bounds: null,
    sort_order_id: null,
  },
});

const budget = (records = 100, bytes = 64 * MIB): AvroBudget => ({ records, bytes });

/** Prints a number of Avro, of any size. */
function long(value: bigint | number): Buffer {
  const parts: number[] = [];
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  for (; rest >= 0x80n; rest >>= 7n) parts.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...parts, Number(rest)]);
}

/** Returns a file with one block, whose number of records is not checked. */
async function fileWith(count: bigint | number, block: Buffer): Promise<Buffer> {
  const empty = await MANIFEST.print([], {});
  const packed = deflateRawSync(block, { level: 1 });
  return Buffer.concat([empty, long(count), long(packed.length), packed, SYNC]);
}

/** Bytes of an entry up to its list of sizes of columns, which begins with its branch. */
const BEFORE_SIZES = Buffer.concat([
  ...[ADDED, 0, 0, 0, 0].map(long),
  ...[long(1), Buffer.from('a'), long(1), Buffer.from('P')],
  ...[3, 400, 1].map(long),
]);

describe('a manifest', () => {
  it('is read as it was written', async () => {
    const entries = [entry('s3://lake/a'), entry('s3://lake/b')];
    const file = await MANIFEST.print(entries, { content: 'data' });
    const left = budget();
    await expect(MANIFEST.read(file, left)).resolves.toEqual(entries);
    expect(left.records).toBe(98);
    expect(left.bytes).toBeLessThan(64 * MIB - file.length);
  });

  it('is rejected if there are more files, or more bytes, than may be left', async () => {
    const file = await MANIFEST.print([entry('a'), entry('b')], {});
    await expect(MANIFEST.read(file, budget(1))).rejects.toMatchObject({ kind: 'inconsistent' });
    const few = budget(100, file.length + 10);
    await expect(MANIFEST.read(file, few)).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  it.each<[string, () => Promise<Buffer>]>([
    ['two thousand million items of a list', () => listOf(2_000_000_000)],
    ['more items of a list than a number can count', () => listOf(2n ** 62n)],
    ['a negative number of items', () => listOf(-2_000_000_000)],
    ['more records than bytes', () => fileWith(90, BEFORE_SIZES)],
    ['a negative number of records', () => fileWith(-1, BEFORE_SIZES)],
    [
      'a text longer than the file',
      () => fileWith(1, Buffer.concat([...[1, 0, 0, 0, 0, 2 ** 40].map(long)])),
    ],
    ['a branch that does not exist', () => fileWith(1, Buffer.concat([1, 9].map(long)))],
    ['a number without an end', () => fileWith(1, Buffer.alloc(100, 0xff))],
    ['300 MB of zeros', () => fileWith(1, Buffer.alloc(300 * MIB))],
    ['two thousand million items of its header', () => headerOf(2_000_000_000)],
    [
      'another schema',
      async () =>
        Buffer.from(
          (await listOf(1)).toString('latin1').replace('manifest_entry', 'manifest_other'),
          'latin1',
        ),
    ],
  ])('is rejected at once if it has %s', async (_, print) => {
    const file = await print();
    const before = process.memoryUsage().rss;
    await expect(MANIFEST.read(file, budget())).rejects.toMatchObject({
      kind: 'inconsistent',
      message: 'A manifest of the table is not one that this sync has written.',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH_BYTES);
  });
});

const listOf = (items: bigint | number): Promise<Buffer> =>
  fileWith(1, Buffer.concat([BEFORE_SIZES, long(items), ...[1, 1].map(long)]));

const headerOf = (items: number): Promise<Buffer> =>
  Promise.resolve(Buffer.concat([Buffer.from('Obj\u0001', 'latin1'), long(items), SYNC]));
