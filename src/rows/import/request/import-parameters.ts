import { AppError, invalidRequest } from '../../../common/error/app-error';
import type { Parameter } from '../../../platform/http/query';
import {
  ERROR_RULES,
  IMPORT_MODES,
  type ImportFormat,
  type ImportOptions,
} from '../job/import-options';
import { DELIMITER_NAMES, findDelimiter, type Delimiter } from '../../values/delimiter';
import { ENCODINGS, type Encoding } from '../read/body-text';
import type { FileFormat } from '../read/csv-input';

const MAX_MATCHED = 4;

const OPTION_PARAMETERS: readonly Parameter[] = [
  {
    name: 'mode',
    required: false,
    description: '`insert` creates a row of each line; `upsert` changes the rows that lines match.',
    schema: { type: 'string', enum: [...IMPORT_MODES], default: 'insert' },
  },
  {
    name: 'matchOn',
    required: false,
    description: 'Keys of one to four unique columns, separated by commas; with `upsert` only.',
    schema: { type: 'string' },
  },
  {
    name: 'onError',
    required: false,
    description: 'What a line that is refused does: end the import, or be left out.',
    schema: { type: 'string', enum: [...ERROR_RULES], default: 'abort' },
  },
  {
    name: 'createColumns',
    required: false,
    description:
      'Whether columns are created for unknown names in the CSV header, with types that fit the first 1,000 rows. Needs the permission to change columns.',
    schema: { type: 'boolean', default: false },
  },
];

const FILE_PARAMETERS: readonly Parameter[] = [
  {
    name: 'delimiter',
    required: false,
    description:
      'The delimiter of a CSV file, by name or as the character itself. Without it, it is found from the first lines.',
    schema: { type: 'string', enum: [...DELIMITER_NAMES] },
  },
  {
    name: 'encoding',
    required: false,
    description:
      'The encoding of a CSV file. Without it, that of its byte order mark, or else UTF-8.',
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
export function readImportOptions(query: Query, format: ImportFormat): ImportOptions {
  const mode = oneOf(query, 'mode', IMPORT_MODES);
  const onError = oneOf(query, 'onError', ERROR_RULES);
  const createColumns = oneOf(query, 'createColumns', ['false', 'true'] as const) === 'true';
  if (createColumns && format !== 'csv') {
    throw refused('createColumns', 'incompatible_parameters', 'requires a CSV file');
  }
  const keys = matchOn(query, mode === 'upsert');
  return { format, mode, matchOn: keys, onError, createColumns, ...fileFormat(query, format) };
}

/** Reads the requested format of the file. NDJSON is always UTF-8 and has no delimiter. */
function fileFormat(query: Query, format: ImportFormat): FileFormat {
  const sent = { delimiter: single(query, 'delimiter'), encoding: single(query, 'encoding') };
  if (format === 'csv') {
    return { delimiter: readDelimiter(sent.delimiter), encoding: readEncoding(sent.encoding) };
  }
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined) throw refused(name, 'incompatible_parameters', 'requires a CSV file');
  }
  return { delimiter: null, encoding: 'utf-8' };
}

function readDelimiter(text: string | undefined): Delimiter | null {
  const delimiter = text === undefined ? null : findDelimiter(text);
  if (delimiter || text === undefined) return delimiter;
  throw refused('delimiter', 'invalid_format', `must be ${DELIMITER_NAMES.join(' or ')}`);
}

function readEncoding(text: string | undefined): Encoding | null {
  const name = text?.toLowerCase();
  const encoding = ENCODINGS.find((each) => each === name) ?? null;
  if (encoding || name === undefined) return encoding;
  throw refused('encoding', 'invalid_format', `must be ${ENCODINGS.join(' or ')}`);
}

function matchOn(query: Query, isUpsert: boolean): string[] {
  const text = single(query, 'matchOn');
  if (text === undefined) {
    if (!isUpsert) return [];
    throw refused('matchOn', 'required', 'is required with mode=upsert');
  }
  if (!isUpsert) throw refused('matchOn', 'incompatible_parameters', 'requires mode=upsert');
  const keys = text.split(',');
  if (new Set(keys).size < keys.length) {
    throw refused('matchOn', 'duplicate_column', 'must not name a column twice');
  }
  if (keys.length <= MAX_MATCHED) return keys;
  throw refused('matchOn', 'out_of_range', `must name at most ${String(MAX_MATCHED)} columns`);
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
  throw refused(name, 'invalid_format', `must be ${choices.join(' or ')}`);
}

function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refused(name, 'duplicate_parameter', 'must be given at most once');
}

function refused(field: string, code: string, message: string): AppError {
  return invalidRequest([{ field, code, message }]);
}
