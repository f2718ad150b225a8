import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ColumnType } from '../../../datagrids/column-type/column-type';
import { tooManyColumns } from '../../../datagrids/column/column-check';
import { ColumnService } from '../../../datagrids/column/column.service';
import type { CreateColumnDto } from '../../../datagrids/column/dto/create-column.dto';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../../platform/config/app-config';
import { Database } from '../../../platform/database/database';
import { DatabaseGate } from '../../../platform/database/database-gate';
import { cellType } from '../infer/cell-type';
import { columnKey, columnTitle } from '../infer/column-name';
import { ImportRepository } from '../job/import.repository';
import type { CsvRecord } from '../read/csv-reader';
import { RecordFault } from '../read/record';
import { columnsChanged } from '../run/import-failures';
import type { RunningImport } from '../run/running-import';
import { refusedHeader, type HeaderColumns } from './csv-source';
import { readHeader, unknownCells, type HeaderCell } from './header';

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
      accountId: running.caller.accountId,
      find: async (header, sample) => {
        const cells = readHeader(running.schema, header, running.format.encoding ?? 'utf-8');
        const named = cells.filter(({ name }) => name !== '');
        const isComplete = named.every(({ column }) => column);
        if (!isComplete && !running.options.createColumns)
          throw unknownCells(running.schema, cells);
        const keys = isComplete
          ? cells.map(keyOf)
          : await this.create(running, cells, sample.slice(0, SAMPLE_ROWS));
        const columns = keys.map((key) => running.schema.columns.get(key) ?? null);
        const found = columns.filter((column) => column !== null);
        if (found.length < named.length) throw columnsChanged();
        requireNeeded(running, found);
        running.usedKeys = new Set(found.map(({ key }) => key));
        return columns;
      },
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
    const { place, caller, schema } = running;
    const missing = cells.filter(({ name, column }) => !column && name !== '').length;
    if (schema.columns.size + missing > this.config.maxColumns) {
      throw tooManyColumns(this.config.maxColumns);
    }
    const types = await typesOf(cells, sample);
    const taken = new Set(schema.columns.keys());
    const created: CreateColumnDto[] = [];
    const keys = cells.map(({ name, column }, index) => {
      if (column) return column.key;
      if (name === '') return '';
      const key = columnKey(name, taken);
      taken.add(key);
      created.push({ key, title: columnTitle(name), type: types.get(index) ?? 'text' });
      return key;
    });
    const add = async (): Promise<void> => {
      for (const column of created) {
        await this.columns.add(caller.accountId, place.datagridId, column);
      }
      await this.imports.noteColumns(
        place,
        created.map(({ key }) => key),
      );
    };
    await this.gate.runWhenFree(caller.accountId, () => this.database.transaction(add));
    running.schema = await this.schemas.get(caller.accountId, place.datagridId);
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
  const required = options.mode === 'insert' ? schema.required.map(({ key }) => key) : [];
  const missing = [...required, ...options.matchOn].filter((key) => !keys.has(key));
  if (missing.length === 0) return;
  throw refusedHeader('required', `must contain the required columns ${missing.join(', ')}`);
}
