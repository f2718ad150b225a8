import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { eventually } from '../../../test/support/eventually';
import { Spool, SpoolFullError, type SpoolRoom } from './spool';

const CHUNK_BYTES = 256 * 1024;
/** Several times the memory limit of a spool. */
const CHUNKS = 64;
const MAX_BYTES = CHUNKS * CHUNK_BYTES;

const chunk = (index: number): Buffer => Buffer.alloc(CHUNK_BYTES, index);

function* chunks(): Generator<Buffer> {
  for (let index = 0; index < CHUNKS; index += 1) yield chunk(index);
}

/** Accepts all bytes and counts them. */
class OpenRoom implements SpoolRoom {
  bytes = 0;
  maxBytes = 0;

  tryAdd(bytes: number): boolean {
    this.bytes += bytes;
    this.maxBytes = Math.max(this.maxBytes, this.bytes);
    return true;
  }

  remove(bytes: number): void {
    this.bytes -= bytes;
  }
}

let room: OpenRoom;

beforeEach(() => {
  room = new OpenRoom();
});

/** Room for the files of a test. */
const roomFor = (maxBytes: number): SpoolRoom => ({
  tryAdd: (bytes) => room.bytes + bytes <= maxBytes && room.tryAdd(bytes),
  remove: (bytes) => {
    room.remove(bytes);
  },
});

async function readAll(spool: Spool): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of spool) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const named = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('datagrid-spool-'));

describe('Spool', () => {
  it('returns all written bytes without delaying the writer', async () => {
    // Files of other processes, which may have crashed.
    const others = new Set(await named());
    const spool = new Spool(room);
    // The pipeline ends before anything is read.
    await pipeline(Readable.from(chunks(), { objectMode: false }), spool, { end: false });
    await eventually(async () => (await named()).every((name) => others.has(name)));
    spool.end();
    const read = await readAll(spool);
    expect(read.equals(Buffer.concat([...chunks()]))).toBe(true);
  });

  it('uses memory again once the file has been read', async () => {
    // The file is emptied between rounds: in total, it takes more than it may hold at a time.
    const spool = new Spool(roomFor(MAX_BYTES));
    const parts: Buffer[] = [];
    for (let round = 0; round < 3; round += 1) {
      await pipeline(Readable.from(chunks(), { objectMode: false }), spool, { end: false });
      let left = MAX_BYTES;
      while (left > 0) {
        const part = spool.read() as Buffer | null;
        if (part) {
          parts.push(part);
          left -= part.length;
        } else {
          await new Promise((resolve) => spool.once('readable', resolve));
        }
      }
    }
    const all = Buffer.concat([...chunks()]);
    expect(Buffer.concat(parts).equals(Buffer.concat([all, all, all]))).toBe(true);
    spool.destroy();
  });

  it('rejects more unread bytes than all files may hold together, and releases its room', async () => {
    const spool = new Spool(roomFor(MAX_BYTES / 4));
    const written = pipeline(Readable.from(chunks()), spool, { end: false });
    await expect(written).rejects.toThrow(SpoolFullError);
    expect(room.maxBytes).toBe(MAX_BYTES / 4);
    await eventually(() => room.bytes === 0);
  });

  it('releases the room of its file once the file has been read or the reader has left', async () => {
    const spool = new Spool(room);
    await pipeline(Readable.from(chunks(), { objectMode: false }), spool, { end: false });
    expect(room.bytes).toBeGreaterThan(0);
    spool.end();
    await readAll(spool);
    expect(room.bytes).toBe(0);
    const left = new Spool(room);
    await pipeline(Readable.from(chunks(), { objectMode: false }), left, { end: false });
    expect(room.bytes).toBeGreaterThan(0);
    left.destroy();
    await eventually(() => room.bytes === 0);
  });
});
