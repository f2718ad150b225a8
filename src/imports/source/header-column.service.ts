import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  COLUMN_TYPE_NAMES,
  COLUMN_TYPES,
  type ColumnType,
} from '../../datagrids/column-type/column-type';
import { tooManyColumns } from '../../datagrids/column/column-check';
import { ColumnService } from '../../datagrids/column/column.service';
import { COLUMN_KEY } from '../../datagrids/column-type/column-options';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import type { CreateColumnDto } from '../../datagrids/column/dto/column.dto';
import { findColumn, type SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { DatabaseGate } from '../../platform/database/database-gate';
import { ImportRepository } from '../job/import.repository';
import type { CsvRecord } from '../read/csv-reader';
import { RecordFault } from '../../common/encoding/utf8-text';
import { columnsChanged } from '../progress/import-progress';
import type { RunningImport } from '../progress/running-import';
import { columnTitle } from '../read/column-names';
import { type HeaderCell, readHeader, unknownCells } from './header';
import { type HeaderColumns, rejectedHeader } from './row-source';

const SAMPLE_ROWS = 1_000;

/** Finds the columns of CSV headers, and creates missing columns if the import requests it. */
@Injectable()
export class HeaderColumnService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly columns: ColumnService,
    private readonly schemas: DatagridSchemaService,
    private readonly imports: ImportRepository,
    private readonly gate: DatabaseGate,
  ) {}

  /** Returns the columns of one import. Records in `running` which columns it uses. */
  of(running: RunningImport): HeaderColumns {
    return {
      sampleRows: running.options.createColumns ? SAMPLE_ROWS : 0,
      accountId: running.writer.accountId,
      find: async (header, sample) => {
        const cells = readHeader(
          running.schema,
          header,
          running.format.encoding ?? 'utf-8',
          running.options.ignoreReadOnly,
        );
        const named = cells.filter(({ name }) => name !== '');
        const isComplete = named.every(({ column }) => column);
        const { createColumns } = running.options;
        if ((!isComplete && !createColumns) || cells.some(({ isAmbiguous }) => isAmbiguous)) {
          throw unknownCells(running.schema, cells, createColumns);
        }
        const keys = isComplete
          ? cells.map(keyOf)
          : await this.create(running, cells, sample.slice(0, SAMPLE_ROWS));
        const columns = keys.map((key) => findColumn(running.schema, key) ?? null);
        const found = columns.filter((column) => column !== null);
        if (found.length < named.length) throw columnsChanged();
        requireNeeded(running, found);
        const used = found.filter(({ isReadOnly }) => !isReadOnly);
        running.usedKeys = new Set(used.map(({ key }) => key));
        return columns;
      },
      useDefaults: (named) => running.useDefaults(named),
    };
  }

  /**
   * Creates all missing columns, or none.
   * @returns the keys of all cells, in order; '' for a blank cell.
   */
  private async create(
    running: RunningImport,
    cells: readonly HeaderCell[],
    sample: readonly CsvRecord[],
  ): Promise<string[]> {
    const { importRef, writer, schema } = running;
    const missing = cells.filter(({ name, column }) => !column && name !== '').length;
    if (schema.shown.length + missing > this.config.maxColumns) {
      throw tooManyColumns(this.config.maxColumns);
    }
    const types = await typesOf(cells, sample);
    const taken = new Set([
      ...schema.shown.flatMap(({ key, title }) => [key, title]),
      ...schema.previous.keys(),
    ]);
    const names = new Set(cells.map(({ name }) => name));
    const created: CreateColumnDto[] = [];
    const keys = cells.map(({ name, column }, index) => {
      if (column) return column.key;
      if (name === '') return '';
      // The key must not name another column of the file.
      const key = columnKey(name, (each) => taken.has(each) || (each !== name && names.has(each)));
      taken.add(key);
      created.push({ key, title: columnTitle(name), type: types.get(index) ?? 'text' });
      return key;
    });
    const add = async (): Promise<void> => {
      for (const column of created) {
        await this.columns.add(writer, importRef.datagridId, column);
      }
      await this.imports.noteColumns(
        importRef,
        created.map(({ key }) => key),
      );
    };
    await this.gate.runWhenFree(writer.accountId, () => this.database.transaction(add));
    running.schema = await this.schemas.get(writer.accountId, importRef.datagridId);
    return keys;
  }
}

/**
 * Returns the types of the columns to create, by their index. Lets other work run between columns.
 */
async function typesOf(
  cells: readonly HeaderCell[],
  sample: readonly CsvRecord[],
): Promise<ReadonlyMap<number, ColumnType>> {
  const types = new Map<number, ColumnType>();
  for (const [index, { name, column }] of cells.entries()) {
    if (column || name === '') continue;
    types.set(index, cellType(cellsAt(sample, index)));
    await setImmediate();
  }
  return types;
}

const keyOf = ({ column }: HeaderCell): string => column?.key ?? '';

function* cellsAt(sample: readonly CsvRecord[], index: number): Generator<string> {
  for (const { content } of sample) {
    if (!(content instanceof RecordFault)) yield content[index] ?? '';
  }
}

/** @throws AppError `invalid_request` if the header lacks a required column or one of `matchOn`. */
function requireNeeded({ schema, options }: RunningImport, found: readonly SchemaColumn[]): void {
  const keys = new Set(found.map(({ key }) => key));
  const required = schema.required.filter(({ defaultValue }) => defaultValue === null);
  const needed = options.mode === 'insert' ? required.map(({ key }) => key) : [];
  const missing = [...needed, ...options.matchOn].filter((key) => !keys.has(key));
  if (missing.length === 0) return;
  throw rejectedHeader('required', `must contain the required columns ${missing.join(', ')}`);
}

/** Number of UTF-16 code units of a cell that are used. */
const MAX_CELL_LENGTH = 1_000;

/**
 * Returns a key for a header cell: the cell's letters and digits in camelCase, or `column` if they do
 * not make a valid key. A number is appended if the key is taken.
 */
export function columnKey(cell: string, isTaken: (key: string) => boolean): string {
  const words =
    cell
      .slice(0, MAX_CELL_LENGTH)
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[A-Za-z0-9_]+/g) ?? [];
  const [first = '', ...others] = words;
  const camel = [firstWord(first), ...others.map(capital)].join('').slice(0, MAX_KEY_LENGTH);
  const key = COLUMN_KEY.test(camel) ? camel : 'column';
  if (!isTaken(key)) return key;
  for (let number = 2; ; number += 1) {
    const suffix = String(number);
    const numbered = key.slice(0, MAX_KEY_LENGTH - suffix.length) + suffix;
    if (!isTaken(numbered)) return numbered;
  }
}

/** Lowercases the first word: `ID` becomes `id`, and `orderDate` is unchanged. */
function firstWord(word: string): string {
  const isCapitals = word === word.toUpperCase();
  return isCapitals ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Types that a new column can have, the narrowest first, with the cells that fit each type. */
const TYPES = COLUMN_TYPE_NAMES.flatMap((type) => {
  const { fitsCell } = COLUMN_TYPES[type];
  return fitsCell ? [{ type, fitsCell }] : [];
});

/** Returns the narrowest type that accepts all cells that are not empty; `text` if no type does. */
export function cellType(cells: Iterable<string>): ColumnType {
  let left = TYPES;
  for (const cell of cells) {
    if (cell !== '') left = left.filter(({ fitsCell }) => fitsCell(cell));
    if (left.length === 0) break;
  }
  // If all cells are empty, nothing is known about the column.
  return left === TYPES ? 'text' : (left[0]?.type ?? 'text');
}
