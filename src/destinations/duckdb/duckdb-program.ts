import { mkdir, rm } from 'node:fs/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { ReceivedCall, SentResult } from './duckdb-child';
import { beModest, die, loadDriver, SAFE_OPTIONS } from './duckdb-driver';
import { type ErrorMeanings, isFatal, sentError } from './duckdb-error';
import { literal } from './duckdb-sql';
import { memoryLimit } from './process-memory';

/** The database to open, and where temporary data may be. */
export interface DatabaseOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** Directory for lines and temporary data. It is emptied. DuckDB can read no other one. */
  readonly workDirectory: string;
  readonly memoryBytes: number;
  /** Maximum size of what DuckDB writes when its memory is full. Default: that of DuckDB. */
  readonly maxSpillBytes?: number;
  /**
   * Path of a file that is attached as the database `ATTACHED`. Its transactions are not written to a
   * log: if the process is killed, the file is lost.
   */
  readonly attachedFile?: string;
}

/** Name of the database of an attached file. */
export const ATTACHED = 'attached';

const MAX_THREADS = 2;

/** Opens a database that can read and write no files but its own and those of its work directory. */
export async function openDatabase({
  file,
  workDirectory,
  memoryBytes,
  maxSpillBytes,
  attachedFile,
}: DatabaseOptions): Promise<DuckDBInstance> {
  const { DuckDBInstance: Instance } = await loadDriver();
  const instance = await Instance.create(file, {
    memory_limit: memoryLimit(memoryBytes),
    threads: String(MAX_THREADS),
    temp_directory: workDirectory,
    ...(maxSpillBytes !== undefined && {
      max_temp_directory_size: `${String(maxSpillBytes)}B`,
    }),
    // The order of ids comes from the lines. To keep it elsewhere takes memory.
    preserve_insertion_order: 'false',
    ...SAFE_OPTIONS,
  });
  // The file is locked, or nobody else has this directory: what is in it was left behind.
  await rm(workDirectory, { recursive: true, force: true });
  await mkdir(workDirectory, { mode: 0o700 });
  const connection = await instance.connect();
  await connection.run("SET GLOBAL TimeZone = 'UTC'");
  if (attachedFile !== undefined) {
    await connection.run(
      `ATTACH ${literal(attachedFile)} AS ${ATTACHED} (RECOVERY_MODE NO_WAL_WRITES)`,
    );
  }
  await connection.run(`SET allowed_directories = [${literal(workDirectory)}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  connection.closeSync();
  return instance;
}

/** A program that the service has started for a database. */
export interface DatabaseProgram<Call> {
  /** Carries out a call. */
  perform(call: Call): Promise<unknown>;
  /** Whether the process must not end by itself when the service has ended. */
  isOpen(): boolean;
  readonly meanings: ErrorMeanings;
}

/**
 * Answers the calls of the service until it ends the connection. DuckDB is native code and takes much
 * memory, and neither a crash nor the kernel's memory killer must end the service: so it has a process
 * of its own, which ends with the service.
 */
export function serveCalls<Call extends { readonly method: string }>(
  program: DatabaseProgram<Call>,
): void {
  const respond = async ({ call, request }: ReceivedCall<Call>): Promise<void> => {
    const send = (sent: SentResult, then: () => void): void => {
      process.send?.(sent, then);
    };
    try {
      const result = await program.perform(request);
      send({ call, result }, () => {
        if (request.method === 'end') process.disconnect();
      });
    } catch (error) {
      send({ call, error: sentError(error, program.meanings) }, () => {
        if (isFatal(error)) die();
      });
    }
  };
  process.on('message', (message) => void respond(message as ReceivedCall<Call>));
  process.on('disconnect', () => {
    if (program.isOpen()) die();
  });
  beModest();
}
