import { send } from '../api/client';
import { dataPath } from '../api/data';
import { downloadFile, fileName } from '../datagrids/download';
import { sqlText } from '../text/sql-text';
import { sqlPath } from './sql-calls';

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;

export type FileEnding = keyof typeof TYPES;

/** The last line of a complete file of text, and the last bytes of Parquet. */
const END = /\{"_end":\{"rows":\d+\}\}\n?$/;
const PARQUET_END = /PAR1$/;
const MAX_END_BYTES = 64;

/**
 * Runs a statement and downloads all rows of its result. Browsers cannot read trailers, so the request of a
 * text asks for the end line, which shows that the file is complete.
 * @throws ApiError if the statement is not valid, and Error if the file is incomplete.
 */
export async function downloadResult(
  workspaceId: string,
  sql: string,
  name: string,
  ending: FileEnding,
): Promise<void> {
  const isText = ending !== 'parquet';
  const response = await send('POST', dataPath(sqlPath(workspaceId)), {
    body: { sql, ...(isText && { endLine: true }) },
    headers: { Accept: TYPES[ending] },
    timeoutMs: null,
  });
  // The service cuts the connection if the statement fails.
  const file = await response.blob().catch((cause: unknown) => {
    throw new Error(sqlText.incomplete, { cause });
  });
  const tail = await file.slice(-MAX_END_BYTES).text();
  const end = (isText ? END : PARQUET_END).exec(tail)?.[0];
  if (end === undefined) throw new Error(sqlText.incomplete);
  const rows = isText ? file.slice(0, file.size - end.length) : file;
  downloadFile(new File([rows], fileName(name, ending), { type: TYPES[ending] }));
}
