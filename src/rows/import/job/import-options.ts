import type { FileFormat } from '../read/csv-input';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const IMPORT_MODES = ['insert', 'upsert'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export const ERROR_RULES = ['abort', 'skip'] as const;
export type ErrorRule = (typeof ERROR_RULES)[number];

export const IMPORT_STATES = ['running', 'completed', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Options of an import. After the file has been read, they include the detected format. */
export interface ImportOptions extends FileFormat {
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  /** Keys of the unique columns that an upsert matches rows by; empty otherwise. */
  readonly matchOn: readonly string[];
  /** Whether a rejected line ends the import or is skipped. */
  readonly onError: ErrorRule;
  /** Whether columns are created for unknown names in the header. */
  readonly createColumns: boolean;
}
