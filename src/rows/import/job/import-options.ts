import type { FileFormat } from '../read/csv-input';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const IMPORT_MODES = ['insert', 'upsert'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export const ERROR_RULES = ['abort', 'skip'] as const;
export type ErrorRule = (typeof ERROR_RULES)[number];

export const IMPORT_STATES = ['running', 'completed', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** What a caller asks of an import; once its file is read, with the format that was found. */
export interface ImportOptions extends FileFormat {
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  /** Keys of the unique columns that an upsert matches rows by; empty otherwise. */
  readonly matchOn: readonly string[];
  /** What a line that is refused does: end the import, or nothing more. */
  readonly onError: ErrorRule;
  /** Whether columns are made of header cells that name none. */
  readonly createColumns: boolean;
}
