/** Rows that are named of those that conflict with a change. */
export const MAX_EXAMPLES = 10;

/** Values beyond so many bytes of `jsonb` are shortened to so many characters. */
const LONG_BYTES = 2_048;
const SHORTENED_CHARACTERS = 500;

/** A `jsonb` value to be shown: of a long one the beginning of its text. */
export const exampleValue = (value: string): string => `
  CASE WHEN pg_column_size(${value}) <= ${String(LONG_BYTES)} THEN ${value}
    ELSE to_jsonb(left(${value} #>> '{}', ${String(SHORTENED_CHARACTERS)}) || '…') END`;
