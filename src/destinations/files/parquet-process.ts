/**
 * Program that reads and writes Parquet files in a work directory, with a database of DuckDB in memory.
 * The service starts it as a process of its own.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDatabase, serveCalls } from '../duckdb/duckdb-program';
import { PARQUET_MEANINGS } from './parquet-error';
import { ParquetRepository } from './parquet.repository';

/** Methods that the service can call. */
export type ParquetMethod = {
  [Name in keyof ParquetRepository]: ParquetRepository[Name] extends (
    ...parameters: never[]
  ) => Promise<unknown>
    ? Name
    : never;
}[keyof ParquetRepository];

/** What the program may use. */
export interface ParquetOptions {
  readonly workDirectory: string;
  readonly memoryBytes: number;
  readonly maxSpillBytes: number;
}

/** A call of the service. */
export type ParquetCall =
  | { readonly method: 'start'; readonly options: ParquetOptions }
  | { readonly method: ParquetMethod; readonly parameters: readonly unknown[] };

type Methods = Readonly<
  Record<ParquetMethod, (...parameters: readonly unknown[]) => Promise<unknown>>
>;

let connection: DuckDBConnection | undefined;
let repository: ParquetRepository | undefined;

async function perform(call: ParquetCall): Promise<unknown> {
  if (call.method === 'start') {
    const { workDirectory } = call.options;
    const instance = await openDatabase({ file: ':memory:', ...call.options });
    connection = await instance.connect();
    repository = new ParquetRepository(connection, workDirectory);
    return null;
  }
  if (repository === undefined) throw new Error('The database is not open.');
  return (repository as unknown as Methods)[call.method](...call.parameters);
}

serveCalls<ParquetCall>({
  perform,
  isOpen: () => connection !== undefined,
  meanings: PARQUET_MEANINGS,
});
