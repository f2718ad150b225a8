import { Injectable } from '@nestjs/common';
import type { FieldError } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import { shorten } from '../../common/text/id';
import type { LinkKey } from '../../rows/link/link-key';
import type { RejectedLine } from '../job/import.entity';
import type { ImportRef } from '../job/import.repository';
import { columnsChanged } from '../run/import-progress';
import type { StagedStep } from '../stage/line-stage.repository';
import { LinkedKeyRepository } from './linked-key.repository';
import { type StagedLine, StepRepository } from './step.repository';

const MAX_SHOWN = 60;

/**
 * Maximum number of keys that are looked up together. A step can have millions, and handling them all in
 * one turn of the event loop would delay other requests.
 */
const SLICE_KEYS = 20_000;

/** A link column with the ids of the rows that have the keys in a step, by key as JSON. */
interface KeyedIds extends LinkKey {
  readonly ids: ReadonlyMap<string, number>;
}

/** Replaces keys of linked rows on staged lines with the ids of these rows. */
@Injectable()
export class LinkedKeys {
  constructor(
    private readonly steps: StepRepository,
    private readonly repository: LinkedKeyRepository,
  ) {}

  /**
   * Replaces the keys on the lines of a step. Removes lines with keys that no row has. Call inside the
   * transaction of the step.
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
    const keyed: KeyedIds[] = [];
    for (const linkKey of linkKeys) {
      keyed.push({ ...linkKey, ids: await this.idsOf(accountId, linkKey, lines) });
    }
    const rejected: RejectedLine[] = [];
    const changed: StagedLine[] = [];
    for (const { line, values } of lines) {
      const details: FieldError[] = [];
      const links = linksOf(keyed, values, details);
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

  /** Finds the rows that have the keys on the lines. */
  private async idsOf(
    accountId: string,
    { column, target }: LinkKey,
    lines: readonly StagedLine[],
  ): Promise<ReadonlyMap<string, number>> {
    const keys = new Map<string, JsonValue>();
    for (const { values } of lines) {
      for (const key of keysIn(values[column.slot])) keys.set(JSON.stringify(key), key);
    }
    if (keys.size === 0) return new Map();
    const { datagridId } = column.options;
    const ids = await this.repository.findIds(accountId, datagridId, target, [...keys.values()]);
    if (ids === null) throw columnsChanged();
    return new Map(
      [...keys.keys()].flatMap((key, index) => {
        const id = ids[index] ?? null;
        return id === null ? [] : [[key, id] as const];
      }),
    );
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

/** Returns the links of a line by slot. Adds keys without a row, and repeated rows, to `problems`. */
function linksOf(
  keyed: readonly KeyedIds[],
  values: StagedLine['values'],
  problems: FieldError[],
): Record<string, JsonValue> {
  const links: Record<string, JsonValue> = {};
  for (const { column, target, ids } of keyed) {
    const value = values[column.slot];
    if (value === undefined || value === null) continue;
    const found: number[] = [];
    for (const key of keysIn(value)) {
      const id = ids.get(JSON.stringify(key));
      if (id === undefined) {
        const shown = shorten(JSON.stringify(key), MAX_SHOWN);
        const message = `is ${shown}, which no row of the linked datagrid has in column ${target.key}`;
        problems.push({ field: column.key, code: 'unknown_row', message });
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

function keysIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}
