import { exportRows } from './exports';
import { importRows, type ServiceTarget } from './import-rows';
import { watchMemory, type MemoryUse } from './memory';
import type { Bench } from './prepare';
import { csvFile, ndjsonFile } from './row-file';
import { markdownTable } from './table';

const HEAD = [
  'memory of the service',
  'rows/s',
  'peak MiB',
  'first third MiB',
  'last third MiB',
  'last ÷ first',
];

/** Rate and memory use of one import or export. */
export interface LongRun extends MemoryUse {
  readonly name: string;
  readonly rowsPerSecond: number;
}

interface Work {
  readonly what: string;
  readonly format: string;
  readonly datagridId: string;
  readonly work: (target: ServiceTarget) => Promise<void>;
}

/**
 * Measures the memory use of long imports and exports of `rows` rows. Each runs alone in a new
 * process of the service. The client generates the rows while it sends them, so these rates are
 * less meaningful than those of `measureImports`.
 */
export async function measureLongRuns(bench: Bench, rows: number): Promise<LongRun[]> {
  const runs: LongRun[] = [];
  const csv = { format: 'CSV', datagridId: await bench.createDatagrid('Imported from CSV') };
  const ndjson = {
    format: 'NDJSON',
    datagridId: await bench.createDatagrid('Imported from NDJSON'),
  };
  const works: readonly Work[] = [
    { ...csv, what: 'import', work: (to) => importRows(to, csvFile(rows)) },
    { ...ndjson, what: 'import', work: (to) => importRows(to, ndjsonFile(rows)) },
    { ...csv, what: 'export', work: (from) => exportRows(from, 'format=csv', rows) },
    { ...ndjson, what: 'export', work: (from) => exportRows(from, 'format=ndjson', rows) },
  ];
  for (const { what, format, datagridId, work } of works) {
    const service = await bench.startService();
    try {
      const watch = watchMemory(service.pid);
      const started = performance.now();
      await work({ service, key: bench.key, datagridId });
      const rowsPerSecond = (rows * 1000) / (performance.now() - started);
      const name = `${what} of ${rows.toLocaleString('en')} rows, ${format}`;
      runs.push({ name, rowsPerSecond, ...(await watch.end()) });
    } finally {
      await service.stop();
    }
  }
  return runs;
}

export function longRunTable(runs: readonly LongRun[]): string {
  const lines = runs.map((run) => [
    run.name,
    run.rowsPerSecond.toFixed(0),
    run.peakMib.toFixed(0),
    run.firstThirdMib.toFixed(0),
    run.lastThirdMib.toFixed(0),
    (run.lastThirdMib / run.firstThirdMib).toFixed(2),
  ]);
  return markdownTable(HEAD, lines);
}
