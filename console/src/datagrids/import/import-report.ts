/** As in the public API. */
export interface ImportReport {
  readonly id: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly committedRows: number;
  /** The line to go on from, where it ended before its end. */
  readonly nextLine: number | null;
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | null;
  readonly createdColumns: readonly string[];
  readonly failure?: { readonly code: string; readonly message: string };
  /** The first 1,000 lines that were rejected. */
  readonly errors: readonly RefusedLine[];
}

export interface RefusedLine {
  readonly line: number;
  readonly details: readonly { readonly field: string; readonly message: string }[];
}

/** The rejected lines as a file for a spreadsheet. */
export function refusedCsv(lines: readonly RefusedLine[]): string {
  const rows = lines.flatMap(({ line, details }) =>
    details.map(({ field, message }) => [String(line), field, message]),
  );
  return [['line', 'column', 'reason'], ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a file is sent as, by its name. */
export function fileHeaders(name: string): Readonly<Record<string, string>> {
  const isGzip = /\.gz$/i.test(name);
  const isNdjson = /\.(ndjson|jsonl)(\.gz)?$/i.test(name);
  return {
    'Content-Type': isNdjson ? 'application/x-ndjson' : 'text/csv',
    ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
  };
}
