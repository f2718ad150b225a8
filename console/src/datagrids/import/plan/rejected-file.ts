import { DELIMITERS } from '../../../../../src/rows/values/delimiter';
import { importText } from '../../../text/import-text';
import { quotedCell } from '../../quoted-cell';
import { readRecords } from '../read/source';
import { uniqueNames, ERROR_COLUMN } from './plan';
import { FileText, type CheckTask } from './check';
import { RowConverter } from './convert-row';

const t = importText.report;

export interface RejectedTask extends CheckTask {
  /** Reasons of the service, by line of the converted file. */
  readonly reasons: ReadonlyMap<number, string>;
  /** First line of the converted file that was not written, if the import ended early. */
  readonly notWrittenFrom: number | null;
}

/**
 * Returns the rows of a file that were not imported, as they are in the file, with a column that
 * says why. The result is CSV in UTF-8, with the delimiter of the file; with commas if the file is not
 * CSV. It can be fixed and imported again.
 */
export async function rejectedFile(
  task: RejectedTask,
  onProgress: (rows: number) => void,
): Promise<File> {
  const { file, plan, reasons, notWrittenFrom } = task;
  const output = new FileText();
  const delimiter = DELIMITERS[plan.format.kind === 'csv' ? plan.format.delimiter : 'comma'];
  const line = (cells: readonly string[]): string => csvLine(cells, delimiter);
  const names = uniqueNames(plan.names);
  const at = names.indexOf(ERROR_COLUMN);
  const withReason = (cells: readonly string[], reason: string): readonly string[] =>
    at < 0 ? [...cells, reason] : cells.with(at, reason);
  // A byte order mark, without which Excel does not read UTF-8.
  output.add(`\ufeff${line(withReason(names, ERROR_COLUMN))}`);
  const jsonAt = new Set(
    task.written.filter(({ column }) => column.type === 'json').map(({ at: index }) => index),
  );
  const converter = new RowConverter(task);
  let [sent, rows] = [0, 0];
  for await (const record of readRecords(file, plan.format, plan.names)) {
    rows += 1;
    if (rows % 2_000 === 0) onProgress(rows);
    const { json, wrong } = converter.convert(record);
    let reason: string | undefined;
    if (json !== undefined) {
      sent += 1;
      const isUnwritten = notWrittenFrom !== null && sent >= notWrittenFrom;
      reason = reasons.get(sent) ?? (isUnwritten ? t.notYet : undefined);
    } else {
      reason = wrong
        .map(({ written, reason: why }) =>
          written ? t.columnReason(written.column.title, why) : why,
        )
        .join('; ');
      if (record.detail !== undefined) reason = t.detailedReason(reason, record.detail);
    }
    if (reason === undefined) continue;
    const width = Math.max(names.length, record.cells.length);
    const cells = Array.from({ length: width }, (_none, index) =>
      // A string in a column of JSON stays a string when this file is imported.
      record.strings?.has(index) === true && jsonAt.has(index)
        ? JSON.stringify(record.cells[index])
        : (record.cells[index] ?? ''),
    );
    output.add(line(withReason(cells, reason)));
  }
  return output.toFile(`${file.name.replace(/\.\w+$/, '')}-rejected.csv`, 'text/csv');
}

function csvLine(cells: readonly string[], delimiter: string): string {
  const quoted = cells.map((text) => (/[",;|\t\r\n]/.test(text) ? quotedCell(text) : text));
  return `${quoted.join(delimiter)}\r\n`;
}
