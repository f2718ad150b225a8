import { Injectable } from '@nestjs/common';
import type { FieldError } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import { shorten } from '../../common/text/id';
import type { LinkKey } from '../../rows/link/link-key';
import type { RejectedLine } from '../job/import.entity';
import type { ImportRef } from '../job/import.repository';
import { columnsChanged } from '../progress/import-progress';
import type { StagedStep } from '../stage/line-stage.repository';
import { type FoundKey, LinkedKeyRepository } from './linked-key.repository';
import { type StagedLine, StepRepository } from './step.repository';

const MAX_SHOWN = 60;

/**
 * Maximum number of keys that are looked up together. A step can have millions, and handling them all in
 * one turn of the event loop would delay other requests.
 */
const SLICE_KEYS = 20_000;

/** A link column with the keys that lines have in it, by key as JSON. */
export interface KeyedColumn extends LinkKey {
  readonly keys: ReadonlyMap<string, FoundKey>;
}

/** Finds the linked rows of staged lines by their keys. */
@Injectable()
export class LinkedKeys {
  constructor(
    private readonly steps: StepRepository,
    private readonly repository: LinkedKeyRepository,
  ) {}

  /**
   * Replaces the keys on the lines of a step with the ids of the rows. Removes lines with keys that no
   * row has. Call inside the transaction of the step.
   * @returns the removed lines, in order.
   * @throws AppError `conflict` if a column of the keys is no longer unique, or its type or `ignoreCase` changed.
   */
  async replace(
    accountId: string,
    linkKeys: readonly LinkKey[],
    importRef: ImportRef,
    step: StagedStep,
  ): Promise<RejectedLine[]> {
    if (linkKeys.length === 0) return [];
    const rejected: RejectedLine[] = [];
    for (const lines of slicesOf(linkKeys, await this.steps.listLines(importRef, step))) {
      rejected.push(...(await this.replaceIn(lines, accountId, linkKeys, importRef)));
    }
    return rejected;
  }

  private async replaceIn(
    lines: readonly StagedLine[],
    accountId: string,
    linkKeys: readonly LinkKey[],
    importRef: ImportRef,
  ): Promise<RejectedLine[]> {
    const keyed = await this.find(accountId, linkKeys, lines);
    const rejected: RejectedLine[] = [];
    const changed: StagedLine[] = [];
    for (const { line, values } of lines) {
      const details: FieldError[] = [];
      const links = linksOf(keyed, values, details, (_column, { rowId }) => rowId);
      if (details.length > 0) rejected.push({ line, details });
      else if (Object.keys(links).length > 0) changed.push({ line, values: links });
    }
    if (rejected.length > 0) {
      await this.steps.removeLines(
        importRef,
        rejected.map(({ line }) => line),
      );
    }
    if (changed.length > 0) await this.repository.setValues(importRef, changed);
    return rejected;
  }

  /**
   * Finds the keys on lines, and the rows that have them.
   * @throws AppError `conflict` as `replace`.
   */
  async find(
    accountId: string,
    linkKeys: readonly LinkKey[],
    lines: readonly StagedLine[],
  ): Promise<KeyedColumn[]> {
    const keyed = linkKeys.map((linkKey) => ({ ...linkKey, keys: new Map<string, FoundKey>() }));
    for (const slice of slicesOf(linkKeys, lines)) {
      for (const { column, target, keys } of keyed) {
        const given = new Map<string, JsonValue>();
        for (const { values } of slice) {
          for (const key of keysIn(values[column.slot])) given.set(JSON.stringify(key), key);
        }
        if (given.size === 0) continue;
        const { datagridId } = column.options;
        const values = [...given.values()];
        const found = await this.repository.find(accountId, datagridId, target, values);
        if (found === null) throw columnsChanged();
        for (const [index, key] of [...given.keys()].entries()) {
          const each = found[index];
          if (each) keys.set(key, each);
        }
      }
    }
    return keyed;
  }
}

/** Splits lines after at most `SLICE_KEYS` keys. A line has at most 1,000. */
function* slicesOf(
  linkKeys: readonly LinkKey[],
  lines: readonly StagedLine[],
): Generator<StagedLine[]> {
  let slice: StagedLine[] = [];
  let keys = 0;
  for (const line of lines) {
    const added = linkKeys.reduce(
      (sum, { column }) => sum + keysIn(line.values[column.slot]).length,
      0,
    );
    if (keys + added > SLICE_KEYS) {
      yield slice;
      slice = [];
      keys = 0;
    }
    slice.push(line);
    keys += added;
  }
  yield slice;
}

/**
 * Returns the links of a line by slot. Adds keys without a row, and repeated rows, to `problems`.
 * @param idOf Returns the row that has a key.
 */
export function linksOf(
  keyed: readonly KeyedColumn[],
  values: StagedLine['values'],
  problems: FieldError[],
  idOf: (column: KeyedColumn, key: FoundKey) => number | null,
): Record<string, JsonValue> {
  const links: Record<string, JsonValue> = {};
  for (const each of keyed) {
    const { column, keys } = each;
    const value = values[column.slot];
    if (value === undefined || value === null) continue;
    const found: number[] = [];
    for (const key of keysIn(value)) {
      const name = JSON.stringify(key);
      const known = keys.get(name);
      const id = known ? idOf(each, known) : null;
      if (id === null) {
        problems.push(unknownKey(each, shorten(name, MAX_SHOWN)));
        break;
      }
      found.push(id);
    }
    if (new Set(found).size < found.length) {
      const message = 'must not contain a row twice';
      problems.push({ field: column.key, code: 'duplicate_link', message });
    }
    links[column.slot] = Array.isArray(value) ? found : (found[0] ?? null);
  }
  return links;
}

function unknownKey({ column, target, isOwn }: LinkKey, shown: string): FieldError {
  const message = isOwn
    ? `is ${shown}, which no row and no earlier line has in column ${target.key}`
    : `is ${shown}, which no row of the linked datagrid has in column ${target.key}`;
  return { field: column.key, code: 'unknown_row', message };
}

function keysIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}
