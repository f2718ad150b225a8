import type {
  CsvLines,
  DeletionMode,
  SyncState,
  TargetColumn,
  TargetWriter,
} from '../../src/connections/destination/destination';
import { csv } from './destination-contract';

const ROWS = 20_000;

const text: TargetColumn = { id: 1, name: 'text', type: 'text' };
const ratio: TargetColumn = { id: 2, name: 'ratio', type: 'double' };
const widened: TargetColumn = { ...ratio, type: 'text' };
const extra: TargetColumn = { id: 3, name: 'extra', type: 'integer' };

function lines(from: number, to: number, cells: (id: number) => string[]): CsvLines {
  return csv(Array.from({ length: to - from }, (_, n) => [String(from + n), ...cells(from + n)]));
}

type Step = (writer: TargetWriter, cycle: number, state: SyncState) => Promise<void>;

const appended =
  (from: number, to: number): Step =>
  (writer, cycle, state) =>
    writer.append(
      [text, ratio],
      lines(from, to, () => [String(cycle), 'loaded', '1.5']),
      state,
    );

/** The steps of a cycle. A state is the number of a step, over all cycles, that is done. */
const STEPS: readonly Step[] = [
  (writer, _, state) => writer.beginLoad([text, ratio], state),
  appended(1, ROWS / 2 + 1),
  appended(ROWS / 2 + 1, ROWS + 1),
  (writer, _, state) => writer.finishLoad([text, ratio], state),
  (writer, cycle, state) =>
    writer.merge(
      [text, ratio],
      lines(ROWS - 999, ROWS + 1_001, (id) =>
        id % 2 === 0
          ? [String(cycle + 1), 'true', '', '0']
          : [String(cycle + 1), 'false', 'merged', '2'],
      ),
      state,
    ),
  (writer, cycle, state) =>
    writer.replace(
      [text, ratio],
      { from: 1, to: 1_000 },
      lines(1, 501, () => [String(cycle + 2), 'replaced', '3']),
      state,
    ),
  (writer, _, state) =>
    writer.changeColumns({ removed: [], widened: [widened], added: [extra] }, state),
];

export const STEP_COUNT = STEPS.length;

/** Does a step. */
export async function doStep(writer: TargetWriter, step: number): Promise<void> {
  await STEPS[step % STEP_COUNT]?.(writer, Math.floor(step / STEP_COUNT), String(step));
}

/** What a reader sees of the table. Sums are of rows that are not marked, and of current versions. */
export interface Seen {
  readonly rows: number;
  readonly ids: number;
  readonly revisions: number;
  readonly ratios: number;
  readonly loaded: number;
  readonly merged: number;
  readonly replaced: number;
  readonly marked: number;
  /** Earlier versions, in mode `history`. */
  readonly ended: number;
  /** Names and types of the columns of the datagrid. */
  readonly columns: string;
}

const sum = (from: number, to: number): number => ((to - from + 1) * (from + to)) / 2;

/** Returns what a reader must see after a step; `null` if there is no table. */
export function expectedAfter(done: number, mode: DeletionMode): Seen | null {
  const cycle = Math.floor(done / STEP_COUNT);
  const step = done % STEP_COUNT;
  // A load changes nothing until it is finished.
  const [of, last] = step < 3 ? [cycle - 1, STEP_COUNT - 1] : [cycle, step];
  if (of < 0) return null;
  const [isMerged, isReplaced] = [last >= 4, last >= 5];
  const loaded = ROWS - (isMerged ? 1_000 : 0) - (isReplaced ? 1_000 : 0);
  const merged = isMerged ? 1_000 : 0;
  const replaced = isReplaced ? 500 : 0;
  // The odd ids up to ROWS + 999.
  const mergedIds = isMerged ? sum(ROWS - 999, ROWS + 1_000) / 2 - 500 : 0;
  const loadedIds = sum(isReplaced ? 1_001 : 1, isMerged ? ROWS - 1_000 : ROWS);
  const marked = isMerged ? 500 + (isReplaced ? 500 : 0) : of > 0 ? 500 : 0;
  // A load ends all versions of the cycle before it.
  const ended = of * (ROWS - 500 + 2_000) + (isMerged ? 1_000 : 0) + (isReplaced ? 1_000 : 0);
  return {
    rows: loaded + merged + replaced,
    ids: loadedIds + mergedIds + (isReplaced ? sum(1, 500) : 0),
    revisions: loaded * of + merged * (of + 1) + replaced * (of + 2),
    ratios: loaded * 1.5 + merged * 2 + replaced * 3,
    loaded,
    merged,
    replaced,
    marked: mode === 'mark' ? marked : 0,
    ended: mode === 'history' ? ended : 0,
    columns:
      last >= 6 ? 'extra bigint, ratio longtext, text longtext' : 'ratio double, text longtext',
  };
}
