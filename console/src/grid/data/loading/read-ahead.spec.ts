import { ReadAhead } from './read-ahead';

const SIZE = 200;

interface Block {
  readonly start: number;
  readonly total: number;
}

let reads: number[];
let nowMs: number;
let failing: Set<number>;
let blocks: ReadAhead<Block>;

beforeEach(() => {
  reads = [];
  nowMs = 0;
  failing = new Set();
  blocks = new ReadAhead(
    (start) => {
      reads.push(start);
      if (failing.delete(start)) return Promise.reject(new Error('unavailable'));
      return Promise.resolve({ start, total: 2_000 });
    },
    () => nowMs,
  );
});

const take = (...starts: readonly number[]): Promise<number[]> =>
  starts.reduce<Promise<number[]>>(
    async (taken, start) => [...(await taken), (await blocks.take(start, start + SIZE)).start],
    Promise.resolve([]),
  );

it('The first block and a block after a jump read nothing ahead', async () => {
  expect(await take(0, 600)).toEqual([0, 600]);
  expect(reads).toEqual([0, 600]);
});

it('After two neighbors the next block is read ahead, and not a second time when it is needed', async () => {
  expect(await take(0, 200, 400)).toEqual([0, 200, 400]);
  expect(reads).toEqual([0, 200, 400, 600]);
});

it('After two jumps of the same distance the block at this distance is read ahead', async () => {
  expect(await take(0, 400, 800, 1_200)).toEqual([0, 400, 800, 1_200]);
  expect(reads).toEqual([0, 400, 800, 1_200, 1_600]);
});

it('Upward the block above is read ahead, and none above the first row', async () => {
  expect(await take(400, 200, 0)).toEqual([400, 200, 0]);
  expect(reads).toEqual([400, 200, 0]);
});

it('Nothing is read ahead below the last row', async () => {
  expect(await take(1_600, 1_800)).toEqual([1_600, 1_800]);
  expect(reads).toEqual([1_600, 1_800]);
});

it('A block that was read ahead five seconds ago is read again', async () => {
  await take(0, 200);
  nowMs = 5_001;
  expect(await take(400)).toEqual([400]);
  expect(reads).toEqual([0, 200, 400, 400, 600]);
});

it('A block that could not be read ahead is read again', async () => {
  failing.add(400);
  await take(0, 200);
  expect(await take(400)).toEqual([400]);
  expect(reads).toEqual([0, 200, 400, 600, 400]);
});
