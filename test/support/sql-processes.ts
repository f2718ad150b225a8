import { ColumnarDatabase, type ColumnarProcess } from '../../src/columnar/columnar-database';
import type { TestApp } from './test-app';

/**
 * Records the processes for SQL that a service starts from now on, until mocks are restored. Expects that
 * nothing else starts some.
 */
export function recordSqlProcesses(app: TestApp): readonly ColumnarProcess[] {
  const processes: ColumnarProcess[] = [];
  const database = app.nest.get(ColumnarDatabase, { strict: false });
  const open = database.openAside.bind(database);
  jest.spyOn(database, 'openAside').mockImplementation(async () => {
    const process = await open();
    processes.push(process);
    return process;
  });
  return processes;
}
