import { type FieldError, invalidField, invalidRequest } from '../../common/error/app-error';
import { readCount } from '../../common/paging/page-request';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import {
  type DatagridSchema,
  findColumn,
  findShownColumn,
} from '../../datagrids/schema/datagrid-schema';
import type { Parameter } from '../../platform/http/query';
import { type Delimiter, DELIMITER_NAMES, findDelimiter } from '../../rows/values/delimiter';
import { LINK_KEYS_PARAMETER } from '../../rows/link/link-key';
import { MAX_MATCHED_COLUMNS } from '../../rows/values/row-values';
import {
  ERROR_RULES,
  IMPORT_MODES,
  type ImportFormat,
  type ImportOptions,
} from '../job/import.entity';
import { type Encoding, ENCODINGS } from '../read/body-text';
import type { FileFormat } from '../read/csv-input';

/** Formats of files by their `Content-Type`; `null` if `format` names it. */
const FORMATS = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/octet-stream': null,
} as const;

type ImportType = keyof typeof FORMATS;

export const IMPORT_TYPES = Object.keys(FORMATS) as ImportType[];

/** Continues the message about a `charset` that is not supported. */
export const CHARSET_HINT =
  '; for a CSV file in another encoding, leave it out and send the query parameter encoding, such as encoding=windows-1252';

const OPTION_PARAMETERS: readonly Parameter[] = [
  {
    name: 'mode',
    required: false,
    description:
      '`insert` creates a row for each line. `upsert` also updates the rows that lines match by `matchOn`.',
    schema: { type: 'string', enum: [...IMPORT_MODES], default: 'insert' },
  },
  {
    name: 'matchOn',
    required: false,
    description:
      'Keys of one to four unique columns by which lines match rows, separated by commas. Required with `mode=upsert`; not allowed otherwise.',
    // Keys, separated by commas.
    schema: { type: 'string', maxLength: MAX_MATCHED_COLUMNS * (MAX_KEY_LENGTH + 1) - 1 },
  },
  LINK_KEYS_PARAMETER,
  {
    name: 'onError',
    required: false,
    description: 'Effect of a rejected line. `abort` ends the import; `skip` leaves the line out.',
    schema: { type: 'string', enum: [...ERROR_RULES], default: 'abort' },
  },
  {
    name: 'createColumns',
    required: false,
    description:
      'For CSV: whether to create columns for unknown names in the header, with types that fit the first 1,000 rows. Otherwise an unknown name returns 400. Requires a role that can write columns.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'ignoreReadOnly',
    required: false,
    description:
      'Whether to leave out the values of columns whose values the service sets, such as those of an export. Otherwise they are rejected.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'startLine',
    required: false,
    description:
      'The first line whose row is read, to continue an import that failed: `nextLine` of its report. Lines count from 1, including the header, which is always read. The whole file is sent.',
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
  },
];

const FILE_PARAMETERS: readonly Parameter[] = [
  {
    name: 'format',
    required: false,
    description:
      'Format of the file. Required with `Content-Type: application/octet-stream`. The other types name the format themselves, and `format` must not differ from them.',
    schema: { type: 'string', enum: ['csv', 'ndjson'] },
    examples: { csv: { value: 'csv' } },
  },
  {
    name: 'delimiter',
    required: false,
    description:
      'For CSV: the delimiter, as its name or as the character itself. The default is detected from the first lines.',
    schema: { type: 'string', enum: [...DELIMITER_NAMES] },
  },
  {
    name: 'encoding',
    required: false,
    description:
      'For CSV: the encoding. The default is the encoding of the byte order mark, or UTF-8 if there is none.',
    schema: { type: 'string', enum: [...ENCODINGS] },
  },
];

/** Query parameters of an import. */
export const IMPORT_PARAMETERS = [...OPTION_PARAMETERS, ...FILE_PARAMETERS];

type Query = Readonly<Record<string, unknown>>;

/**
 * Reads the query parameters of an import.
 * @throws AppError `invalid_request` with the parameter.
 */
export function readImportOptions(query: Query, type: ImportType): ImportOptions {
  const format = readFormat(query, type);
  const mode = oneOf(query, 'mode', IMPORT_MODES);
  const onError = oneOf(query, 'onError', ERROR_RULES);
  const createColumns = oneOf(query, 'createColumns', ['false', 'true'] as const) === 'true';
  if (createColumns && format !== 'csv') {
    throw invalidField('createColumns', 'incompatible_parameters', 'requires a CSV file');
  }
  const ignoreReadOnly = oneOf(query, 'ignoreReadOnly', ['false', 'true'] as const) === 'true';
  const keys = matchOn(query, mode === 'upsert');
  const startLine = readStartLine(query);
  const file = fileFormat(query, format);
  const flags = { createColumns, ignoreReadOnly };
  return { format, mode, matchOn: keys, onError, ...flags, startLine, ...file };
}

function readStartLine(query: Query): number {
  const read = readCount('startLine', query['startLine'] ?? '1', Number.MAX_SAFE_INTEGER);
  if (typeof read === 'number') return read;
  throw invalidRequest([read]);
}

/** Returns the format of the file, which its type or `format` names. */
function readFormat(query: Query, type: ImportType): 'csv' | 'ndjson' {
  const ofType = FORMATS[type];
  if (query['format'] === undefined) {
    if (ofType !== null) return ofType;
    throw invalidField(
      'format',
      'required',
      'is required with Content-Type: application/octet-stream',
    );
  }
  const format = oneOf(query, 'format', ['csv', 'ndjson']);
  if (ofType === null || ofType === format) return format;
  throw invalidField('format', 'incompatible_parameters', 'does not match the Content-Type');
}

/** Reads how the text of the file is written. NDJSON is always UTF-8 and has no delimiter. */
function fileFormat(query: Query, format: ImportFormat): FileFormat {
  const sent = { delimiter: single(query, 'delimiter'), encoding: single(query, 'encoding') };
  if (format === 'csv') {
    return { delimiter: readDelimiter(sent.delimiter), encoding: readEncoding(sent.encoding) };
  }
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined)
      throw invalidField(name, 'incompatible_parameters', 'requires a CSV file');
  }
  return { delimiter: null, encoding: 'utf-8' };
}

function readDelimiter(text: string | undefined): Delimiter | null {
  const delimiter = text === undefined ? null : findDelimiter(text);
  if (delimiter || text === undefined) return delimiter;
  throw invalidField('delimiter', 'invalid_format', `must be ${DELIMITER_NAMES.join(' or ')}`);
}

function readEncoding(text: string | undefined): Encoding | null {
  const name = text?.toLowerCase();
  const encoding = ENCODINGS.find((each) => each === name) ?? null;
  if (encoding || name === undefined) return encoding;
  throw invalidField('encoding', 'invalid_format', `must be ${ENCODINGS.join(' or ')}`);
}

function matchOn(query: Query, isUpsert: boolean): string[] {
  const text = single(query, 'matchOn');
  if (text === undefined) {
    if (!isUpsert) return [];
    throw invalidField('matchOn', 'required', 'is required with mode=upsert');
  }
  if (!isUpsert) throw invalidField('matchOn', 'incompatible_parameters', 'requires mode=upsert');
  const keys = text.split(',');
  if (new Set(keys).size < keys.length) {
    throw invalidField('matchOn', 'duplicate_column', 'must not name a column twice');
  }
  if (keys.length <= MAX_MATCHED_COLUMNS) return keys;
  throw invalidField(
    'matchOn',
    'out_of_range',
    `must name at most ${String(MAX_MATCHED_COLUMNS)} columns`,
  );
}

/** Returns the value of a parameter, or the first of `choices` if the parameter is absent. */
function oneOf<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const text = single(query, name) ?? choices[0];
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw invalidField(name, 'invalid_format', `must be ${choices.join(' or ')}`);
}

function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidField(name, 'duplicate_parameter', 'must be given at most once');
}

/**
 * Returns the present keys of the columns that rows are matched by.
 * @throws AppError `invalid_request` for columns that rows cannot be matched by.
 */
export function matchableKeys(schema: DatagridSchema, matchOn: readonly string[]): string[] {
  const problems = matchOn.flatMap((key): FieldError[] => {
    const column = findShownColumn(schema, key);
    if (column?.unique === true) return [];
    const shown = JSON.stringify(key.slice(0, 63));
    return [
      column
        ? { field: 'matchOn', code: 'not_unique', message: `column ${shown} is not unique` }
        : {
            field: 'matchOn',
            code: 'unknown_column',
            message: `unknown column ${shown}`,
          },
    ];
  });
  if (problems.length > 0) throw invalidRequest(problems);
  return [...new Set(matchOn.map((key) => findColumn(schema, key)?.key ?? key))];
}
