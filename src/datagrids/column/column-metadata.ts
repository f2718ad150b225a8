import { invalidRequest } from '../../common/error/app-error';
import type { ColumnOptions } from '../column-type/column-type';

/** Counted for each choice beside its text: many short ones take more memory than their text. */
const CHOICE_BYTES = 32;

/** Members of a printed column beside its title and options, its key twice included. */
const FRAME_BYTES = 300;

interface Metadata {
  readonly title: string;
  readonly options: ColumnOptions;
}

/**
 * What a column's metadata counts: title and options in the text form of `jsonb`, as UTF-8, and 32
 * bytes for each choice.
 */
export function metadataBytes({ title, options }: Metadata): number {
  const choices = options.choices ?? [];
  // PostgreSQL puts a space behind each colon and comma.
  const spaces = options.choices === undefined ? 0 : Math.max(1, choices.length);
  const text = Buffer.byteLength(JSON.stringify(options)) + spaces;
  return Buffer.byteLength(title) + text + choices.length * CHOICE_BYTES;
}

/** The same of a row of `datagrid_columns`: computed where the release before wrote the row. */
const METADATA_BYTES = `
  CASE WHEN metadata_bytes > 0 THEN metadata_bytes ELSE octet_length(title)
    + octet_length(options::text)
    + coalesce(jsonb_array_length(options -> 'choices'), 0) * ${String(CHOICE_BYTES)} END`;

/** The metadata of the living columns that a condition leaves, as an aggregate. */
export const SUM_OF_METADATA = `
  coalesce(sum(${METADATA_BYTES}) FILTER (WHERE removed_at IS NULL), 0)::bigint`;

/** About how long the columns of the datagrid whose counter is `c` are as JSON text; never less. */
export const COLUMNS_BYTES = `
  (SELECT coalesce(sum(${METADATA_BYTES} + ${String(FRAME_BYTES)}), 0)::bigint
    FROM datagrid_columns WHERE datagrid_id = c.datagrid_id AND removed_at IS NULL)`;

/** @throws AppError `invalid_request` where the columns' metadata is more than a datagrid may have. */
export function refuseMuchMetadata(bytes: number, maxBytes: number, field: string): void {
  if (bytes <= maxBytes) return;
  const message =
    `makes the titles and options of all columns ${String(bytes)} bytes in total; the maximum ` +
    `is ${String(maxBytes)}. Use fewer or shorter choices, or a column of type text`;
  throw invalidRequest([{ field, code: 'too_large', message }]);
}
