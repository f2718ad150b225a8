/** Report of an import, as in the public API. */
export interface ImportReport {
  readonly id: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly committedRows: number;
  /** The line to continue from, if the import was stopped early. */
  readonly nextLine: number | null;
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | null;
  readonly createdColumns: readonly string[];
  readonly failure?: { readonly code: string; readonly message: string };
  /** The first 1,000 lines that were rejected. */
  readonly errors: readonly RejectedLine[];
}

export interface RejectedLine {
  readonly line: number;
  readonly details: readonly { readonly field: string; readonly message: string }[];
}

/** Returns the rejected lines as CSV. */
export function rejectedCsv(lines: readonly RejectedLine[]): string {
  const rows = lines.flatMap(({ line, details }) =>
    details.map(({ field, message }) => [String(line), field, message]),
  );
  return [['line', 'column', 'reason'], ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the headers of a file, from its name. */
export function fileHeaders(name: string): Readonly<Record<string, string>> {
  const isGzip = /\.gz$/i.test(name);
  const isNdjson = /\.(ndjson|jsonl)(\.gz)?$/i.test(name);
  return {
    'Content-Type': isNdjson ? 'application/x-ndjson' : 'text/csv',
    ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
  };
}
