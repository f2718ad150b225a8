/** Maximum number of examples of rows that conflict with a change. */
export const MAX_EXAMPLES = 10;

/** Values longer than LONG_BYTES, as `jsonb`, are cut to SHORTENED_CHARACTERS. */
const LONG_BYTES = 2_048;
const SHORTENED_CHARACTERS = 500;

/** SQL of a `jsonb` value for display. A long value is replaced by the beginning of its text. */
export const exampleValue = (value: string): string => `
  CASE WHEN pg_column_size(${value}) <= ${String(LONG_BYTES)} THEN ${value}
    ELSE to_jsonb(left(${value} #>> '{}', ${String(SHORTENED_CHARACTERS)}) || '…') END`;
