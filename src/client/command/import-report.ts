const MAX_LINES = 20;

/** The part of an import report that the client reads. */
export interface ImportReport {
  readonly id: string;
  readonly datagridId: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The line to continue from; `null` if the import is complete. */
  readonly nextLine: number | null;
  readonly failure?: { readonly code: string; readonly message: string } | null;
  readonly errors: readonly {
    readonly line: number;
    readonly details: readonly { readonly field: string; readonly message: string }[];
  }[];
}

/** Formats the report as text for people: its counts and the first rejected lines. */
export function reportText(report: ImportReport): string {
  const { id, state, rowsRead, created, updated, unchanged, rejected } = report;
  const numbers = `${String(rowsRead)} rows read: ${String(created)} created, ${String(updated)} updated, ${String(unchanged)} unchanged, ${String(rejected)} rejected`;
  const lines = report.errors
    .slice(0, MAX_LINES)
    .flatMap(({ line, details }) =>
      details.map(({ field, message }) => `  line ${String(line)}: ${field} ${message}`),
    );
  const end =
    report.failure && report.nextLine !== null
      ? [
          `${report.failure.code}: ${report.failure.message}`,
          `Go on from line ${String(report.nextLine)}.`,
        ]
      : [];
  return [`Import ${id} ${state}. ${numbers}.`, ...lines, ...end].join('\n');
}
