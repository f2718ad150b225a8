import { invalidRequest } from '../../common/error/app-error';
import type { ColumnOptions } from '../column-type/descriptor';
import { defaultBytes } from './column-default';
import type { PreviousKey } from './previous-key';

/**
 * Bytes counted for each choice in addition to its text, because many short choices take more
 * memory than their text.
 */
const CHOICE_BYTES = 32;

/** Bytes of a printed column besides its title and options. Includes its key twice. */
const FRAME_BYTES = 300;

interface Metadata {
  readonly title: string;
  readonly options: ColumnOptions;
  readonly defaultValue: unknown;
  readonly previousKeys: readonly PreviousKey[];
}

/**
 * Returns the metadata size of a column in bytes: title, options, default value and previous keys
 * in the text form of `jsonb`, as UTF-8, and 32 bytes for each choice.
 */
export function metadataBytes({ title, options, defaultValue, previousKeys }: Metadata): number {
  const choices = options.choices ?? [];
  // PostgreSQL prints a space after each colon and comma.
  const spaces = options.choices === undefined ? 0 : Math.max(1, choices.length);
  const text = Buffer.byteLength(JSON.stringify(options)) + spaces;
  const bytes = Buffer.byteLength(title) + text + choices.length * CHOICE_BYTES;
  const previous = previousKeys.length > 0 ? JSON.stringify(previousKeys).length : 0;
  return bytes + defaultBytes(defaultValue) + previous;
}

/**
 * The same size for a row of `datagrid_columns`. Computed if the previous release wrote the row.
 */
export const METADATA_BYTES = `
  CASE WHEN metadata_bytes > 0 THEN metadata_bytes ELSE octet_length(title)
    + octet_length(options::text)
    + coalesce(jsonb_array_length(options -> 'choices'), 0) * ${String(CHOICE_BYTES)} END`;

/** Aggregate: the metadata bytes of the selected columns that are not removed. */
export const SUM_OF_METADATA = `
  coalesce(sum(${METADATA_BYTES}) FILTER (WHERE removed_at IS NULL), 0)::bigint`;

/** Aggregate: upper estimate of the JSON text length of columns, in bytes. */
export const SUM_OF_BYTES = `coalesce(sum(${METADATA_BYTES} + ${String(FRAME_BYTES)}), 0)::bigint`;

/** The same for the columns of datagrid `$1` that are not removed. */
export const COLUMNS_BYTES = `
  (SELECT ${SUM_OF_BYTES} FROM datagrid_columns WHERE datagrid_id = $1 AND removed_at IS NULL)`;

/** @throws AppError `invalid_request` if the columns' metadata exceeds the limit of a datagrid. */
export function rejectMuchMetadata(bytes: number, maxBytes: number, field: string): void {
  if (bytes <= maxBytes) return;
  const message =
    `makes the titles and options of all columns ${String(bytes)} bytes in total; the maximum ` +
    `is ${String(maxBytes)}. Use fewer or shorter choices, or a column of type text`;
  throw invalidRequest([{ field, code: 'too_large', message }]);
}

/** Sizes of the columns of a datagrid that are not removed. */
export interface MetadataSums {
  /** See `metadataBytes`. */
  readonly metadataBytes: number;
  /** Size of the default values. */
  readonly defaultBytes: number;
}
