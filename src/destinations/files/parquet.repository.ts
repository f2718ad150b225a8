import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import {
  BLOCK_ROWS,
  type BlockSum,
  type IdRange,
  type RowRevision,
  type TargetColumn,
} from '../destination';
import { findLongestLine } from '../duckdb/csv-file';
import {
  convertedSql,
  type LineKind,
  literal,
  MODE_COLUMNS,
  quoted,
  readCsvSql,
} from '../duckdb/duckdb-sql';
import { notAsWritten } from './parquet-error';
import type { ColumnStats, WrittenFile } from './file-catalog';
import { appliedSql, replacedSql, takenOverSql } from './parquet-rows-sql';
import {
  copySql,
  isFileType,
  isPresentSql,
  type FileLayout,
  layoutTypes,
  selectSql,
  STAGE,
  type StagedLines,
  unionSql,
} from './parquet-sql';

/** A file of a table in the work directory, and what it must have. */
export interface LocalFile {
  readonly path: string;
  readonly rows: number;
  readonly fromId: number;
  readonly toId: number;
  /** Field ids of its columns; `null` if it has exactly the columns of the layout, by their names. */
  readonly fieldIds: readonly number[] | null;
}

/** Staged lines whose ids belong to one range. */
export interface StagedRange {
  /** Index of the range. */
  readonly index: number;
  readonly rows: number;
  /** Number of lines that set a row. */
  readonly sets: number;
  readonly fromId: number;
  readonly toId: number;
}

/** How many files a result is to have, at most. */
export interface Output {
  readonly layout: FileLayout;
  readonly pieces: number;
}

/** Statistics of a written file, without its path, in a form that can be sent. */
export type SentFile = Omit<WrittenFile, 'stats'> & {
  readonly stats: readonly (readonly [number, ColumnStats])[];
};

const RESULT = 'temp.main._datagrid_result';

/**
 * Reads and writes Parquet files in a work directory, with a database in memory. A file that is read
 * comes from a storage that others can write, so it is checked first.
 */
export class ParquetRepository {
  constructor(
    private readonly connection: DuckDBConnection,
    private readonly workDirectory: string,
  ) {}

  /** Reads lines, which the next calls use. @returns the number of lines. */
  async stage(csv: string, columns: readonly TargetColumn[], kind: LineKind): Promise<number> {
    const file = { path: csv, maxLineBytes: await findLongestLine(csv) };
    await this.run(`CREATE OR REPLACE TEMP TABLE ${STAGE} AS
      SELECT * FROM ${readCsvSql(file, columns, kind)}`);
    const [row] = await this.rows(`SELECT count(*)::VARCHAR FROM ${STAGE}`);
    return Number(row?.[0]);
  }

  /**
   * Counts the staged lines of each range of ids.
   * @param bounds The lowest id of each range, in order. The first range has all lower ones, too.
   */
  async findRanges(bounds: readonly number[], kind: LineKind): Promise<StagedRange[]> {
    const index = `len(list_filter([${bounds.slice(1).join(', ')}]::BIGINT[], lower -> lower <= c0))`;
    const sets = kind === 'rows' ? 'count(*)' : 'count(*) FILTER (NOT c2)';
    const rows = await this.rows(`SELECT ${index}::VARCHAR, count(*)::VARCHAR, (${sets})::VARCHAR,
        min(c0)::VARCHAR, max(c0)::VARCHAR
      FROM ${STAGE} GROUP BY ${index} ORDER BY ${index}`);
    return rows.map((row) => {
      const [at = 0, count = 0, set = 0, fromId = 0, toId = 0] = row.map(Number);
      return { index: at, rows: count, sets: set, fromId, toId };
    });
  }

  /** Writes the rows of a file after the staged changes. */
  async apply(file: LocalFile | null, staged: StagedLines, output: Output): Promise<SentFile[]> {
    return this.write(
      appliedSql(await this.source(file, output.layout), staged, output.layout),
      output,
    );
  }

  /**
   * Writes the rows of files and the staged ones, which replace those with the same id.
   * @param range Rows of the files in this range that are not staged are deleted, or marked.
   */
  async replace(
    files: readonly LocalFile[],
    staged: StagedLines | null,
    range: IdRange | null,
    output: Output,
  ): Promise<SentFile[]> {
    const [first, ...others] = await Promise.all(
      files.map((file) => this.source(file, output.layout)),
    );
    const source =
      first === undefined ? await this.source(null, output.layout) : unionSql([first, ...others]);
    return this.write(replacedSql(source, staged, range, output.layout), output);
  }

  /**
   * Writes the rows of a file with other columns. Those that the file does not have are empty.
   * @param emptied Ids of columns that get no values, although the file has a column with this id.
   */
  async convert(
    file: LocalFile,
    from: FileLayout,
    emptied: readonly number[],
    output: Output,
  ): Promise<SentFile[]> {
    const source = await this.source(file, from);
    const { layout } = output;
    const values = layout.columns.map((column) => {
      const former = from.columns.find(({ id }) => id === column.id);
      if (former === undefined || emptied.includes(column.id)) return 'NULL';
      const types = layoutTypes({ ...from, columns: [former] });
      return convertedSql(quoted(former.name), types.get(former.name) ?? '', column);
    });
    return this.write(
      selectSql(
        layout,
        {
          id: '_id',
          revision: '_revision',
          values,
          syncedAt: '_synced_at',
          end: MODE_COLUMNS[layout.mode][0] ?? 'NULL',
        },
        source,
      ),
      output,
    );
  }

  /**
   * Writes the rows of a loaded file with what the mode keeps of former files.
   * @param ids Ids of the rows that count.
   * @param isOptional If true and the former files add no rows, nothing is written and the result is
   *   `null`.
   */
  async takeOver(
    file: LocalFile | null,
    former: readonly LocalFile[],
    from: FileLayout,
    ids: IdRange,
    output: Output,
    isOptional: boolean,
  ): Promise<SentFile[] | null> {
    const sources = await Promise.all(former.map((each) => this.source(each, from)));
    const loaded = await this.source(file, output.layout);
    const { missing, all } = takenOverSql({ loaded, former: sources, from, ids }, output.layout);
    if (isOptional && missing !== null) {
      const [row] = await this.rows(`SELECT count(*)::VARCHAR FROM (${missing})`);
      if (row?.[0] === '0') return null;
    }
    return this.write(all, output);
  }

  /** Writes a file without rows. */
  async writeEmpty(layout: FileLayout): Promise<SentFile> {
    const source = await this.source(null, layout);
    return this.copy(replacedSql(source, null, null, layout), layout);
  }

  async sumBlocks(file: LocalFile, layout: FileLayout): Promise<BlockSum[]> {
    const block = `_id // ${String(BLOCK_ROWS)}`;
    const rows = await this.rows(`SELECT (${block})::VARCHAR, count(*)::VARCHAR, sum(_id)::VARCHAR,
        sum(_revision)::VARCHAR
      FROM ${await this.source(file, layout)} WHERE ${isPresentSql(layout.mode)}
      GROUP BY ${block} ORDER BY ${block}`);
    return rows.map(([number, count, ids, revisions]) => ({
      block: Number(number),
      rows: Number(count),
      ids: ids ?? '0',
      revisions: revisions ?? '0',
    }));
  }

  async readRevisions(
    file: LocalFile,
    { from, to }: IdRange,
    layout: FileLayout,
  ): Promise<RowRevision[]> {
    const rows = await this.rows(`SELECT _id::VARCHAR, _revision::VARCHAR
      FROM ${await this.source(file, layout)}
      WHERE _id BETWEEN ${String(from)} AND ${String(to)}
        AND ${isPresentSql(layout.mode)}
      LIMIT ${String(to - from + 2)}`);
    // Each id is there once, unless somebody else has written the file.
    if (rows.length > to - from + 1) throw notAsWritten();
    return rows.map(([id, revision]) => ({ id: Number(id), revision: Number(revision) }));
  }

  /** Checks that a file is what the version says. @throws DestinationError `inconsistent` */
  async check(file: LocalFile, layout: FileLayout): Promise<void> {
    await this.findColumns(file, layout);
  }

  /**
   * Checks a file, and returns the names that it has for the columns of a layout. Only columns of the
   * datagrid can be missing.
   */
  private async findColumns(
    file: LocalFile,
    layout: FileLayout,
  ): Promise<ReadonlyMap<string, string>> {
    const path = literal(file.path);
    const described = await this.rows(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${path}))`,
    );
    const types = new Map(described.map(([name, type]) => [name ?? '', type ?? '']));
    const expected = layoutTypes(layout);
    const names = file.fieldIds
      ? await this.findNames(path, file.fieldIds, layout)
      : new Map([...expected.keys()].map((name) => [name, name]));
    const isSame =
      types.size === (file.fieldIds?.length ?? names.size) &&
      [...names].every(([name, own]) => isFileType(types.get(own), expected.get(name)));
    const [counted] = await this.rows(
      `SELECT num_rows::VARCHAR FROM parquet_file_metadata(${path})`,
    );
    if (!isSame || Number(counted?.[0]) !== file.rows) throw notAsWritten();
    return names;
  }

  /** Returns the names of the columns in a file by those in the layout. Field ids connect both. */
  private async findNames(
    path: string,
    fieldIds: readonly number[],
    layout: FileLayout,
  ): Promise<ReadonlyMap<string, string>> {
    const schema = await this.rows(`SELECT field_id::VARCHAR, name
      FROM parquet_schema(${path}) WHERE field_id IS NOT NULL`);
    const byId = new Map(schema.map(([id, name]) => [Number(id), name ?? '']));
    const isSame = byId.size === fieldIds.length && fieldIds.every((id) => byId.has(id));
    if (!isSame) throw notAsWritten();
    const idOf = new Map(layout.fieldIds);
    const optional = new Set(layout.columns.map(({ name }) => name));
    const names = new Map<string, string>();
    for (const name of layoutTypes(layout).keys()) {
      const own = byId.get(idOf.get(name) ?? 0);
      if (own !== undefined) names.set(name, own);
      if (!optional.has(name) && own !== name) throw notAsWritten();
    }
    return names;
  }

  /** Returns the rows of a checked file, as a source for FROM. Without a file there are none. */
  private async source(file: LocalFile | null, layout: FileLayout): Promise<string> {
    const names = file && (await this.findColumns(file, layout));
    const values = [...layoutTypes(layout)].map(([name, type]) => {
      const own = names?.get(name);
      return `CAST(${own === undefined ? 'NULL' : quoted(own)} AS ${type}) AS ${quoted(name)}`;
    });
    if (file === null) return `(SELECT ${values.join(', ')} WHERE false)`;
    const { path, fromId, toId, rows } = file;
    return `(SELECT ${values.join(', ')} FROM read_parquet(${literal(path)})
      WHERE _id BETWEEN ${String(fromId)} AND ${String(toId)} LIMIT ${String(rows)})`;
  }

  /** Writes rows in order of their ids. @returns the files that have rows. */
  private async write(select: string, { layout, pieces }: Output): Promise<SentFile[]> {
    if (pieces <= 1) {
      const file = await this.copy(select, layout);
      if (file.rows > 0) return [file];
      await rm(file.path, { force: true });
      return [];
    }
    await this.run(`CREATE OR REPLACE TEMP TABLE ${RESULT} AS ${select}`);
    // All versions of a row are in the same file.
    const bounds = await this.rows(`SELECT DISTINCT max(_id)::VARCHAR AS bound, max(_id) AS id
      FROM (SELECT _id, ntile(${String(pieces)}) OVER (ORDER BY _id) AS piece FROM ${RESULT})
      GROUP BY piece ORDER BY id`);
    const files: SentFile[] = [];
    let after = String(Number.MIN_SAFE_INTEGER);
    for (const [bound] of bounds) {
      const to = bound ?? after;
      const piece = `SELECT * FROM ${RESULT} WHERE _id > ${after} AND _id <= ${to}`;
      files.push(await this.copy(piece, layout));
      after = to;
    }
    await this.run(`DROP TABLE ${RESULT}`);
    return files;
  }

  private async copy(select: string, layout: FileLayout): Promise<SentFile> {
    const path = join(this.workDirectory, `${randomUUID()}.parquet`);
    const result = await this.connection.runAndReadAll(copySql(select, path, layout));
    const [written] = result.getRowObjectsJson();
    const byName = new Map(statsOf(written?.['column_statistics']));
    const ids = byName.get('_id');
    const stats = layout.fieldIds.flatMap(([name, id]): [number, ColumnStats][] => {
      const found = byName.get(name);
      return found ? [[id, found]] : [];
    });
    return {
      path,
      rows: Number(written?.['count']),
      bytes: Number(written?.['file_size_bytes']),
      fromId: Number(ids?.min ?? 0),
      toId: Number(ids?.max ?? 0),
      stats,
    };
  }

  private async run(sql: string): Promise<void> {
    await this.connection.run(sql);
  }

  /** Returns the rows of a statement whose columns are texts. */
  private async rows(sql: string): Promise<(string | null)[][]> {
    const result = await this.connection.runAndReadAll(sql);
    return result.getRowsJson() as (string | null)[][];
  }
}

/** Reads the statistics that `COPY` with `RETURN_STATS` returns: maps, as lists of keys and values. */
function statsOf(statistics: unknown): [string, ColumnStats][] {
  const columns = statistics as { key: string; value: { key: string; value: string }[] }[];
  return columns.map(({ key, value }) => {
    const of = new Map(value.map((each) => [each.key, each.value]));
    const stats: ColumnStats = {
      values: Number(of.get('num_values') ?? 0),
      nulls: Number(of.get('null_count') ?? 0),
      bytes: Number(of.get('column_size_bytes') ?? 0),
      min: of.get('min') ?? null,
      max: of.get('max') ?? null,
    };
    // The name is quoted.
    return [key.slice(1, -1).replaceAll('""', '"'), stats];
  });
}
