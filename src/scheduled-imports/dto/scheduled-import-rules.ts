import { IsBoolean, IsIn, ValidateBy } from 'class-validator';
import type { DetailCode } from '../../common/error/app-error';
import { codePointLength, isUuid } from '../../common/text/id';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import { MAX_MATCHED_COLUMNS } from '../../rows/values/row-values';
import { MISSING_ROWS } from '../scheduled-import.entity';

export const MAX_QUERY_LENGTH = 20_000;
export const MAX_TABLE_LENGTH = 127;
const MAX_MAPPED_COLUMNS = 1_000;
const MAX_NAME_LENGTH = 200;
const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 604_800;

/** A name, or two with a dot. Other names can be quoted in a query. */
const TABLE = /^[\p{L}_][\p{L}\p{N}_$]{0,62}(?:\.[\p{L}_][\p{L}\p{N}_$]{0,62})?$/u;

export const KEY_COLUMNS = {
  type: 'array',
  items: { type: 'string', maxLength: MAX_KEY_LENGTH },
  minItems: 1,
  maxItems: MAX_MATCHED_COLUMNS,
  uniqueItems: true,
  example: ['iata'],
} as const;

export const MAPPING = {
  type: 'object',
  nullable: true,
  additionalProperties: { type: 'string', maxLength: MAX_KEY_LENGTH },
  example: null,
} as const;

export const INTERVAL = {
  type: 'integer',
  nullable: true,
  minimum: MIN_INTERVAL_SECONDS,
  maximum: MAX_INTERVAL_SECONDS,
  example: 3600,
} as const;

const checked = (
  name: string,
  code: DetailCode,
  message: string,
  validate: (value: unknown) => boolean,
): PropertyDecorator => {
  const validator = { validate, defaultMessage: () => message };
  return ValidateBy({ name, validator }, { context: { code } });
};

export const IsDatagridId = (): PropertyDecorator =>
  checked(
    'datagridId',
    'invalid_format',
    'must be the id of a datagrid',
    (value) => typeof value === 'string' && isUuid(value),
  );

export const IsQuery = (): PropertyDecorator =>
  checked(
    'query',
    'invalid_format',
    `must be null or a string of 1 to ${String(MAX_QUERY_LENGTH)} characters`,
    (value) =>
      value === null ||
      (typeof value === 'string' &&
        value.trim() !== '' &&
        codePointLength(value) <= MAX_QUERY_LENGTH),
  );

export const IsTable = (): PropertyDecorator =>
  checked(
    'table',
    'invalid_format',
    'must be null, or a name of letters, digits, _ and $, or two such names with a dot; others can be read by a query',
    (value) => value === null || (typeof value === 'string' && TABLE.test(value)),
  );

export const IsKeyColumns = (): PropertyDecorator =>
  checked(
    'keyColumns',
    'invalid_format',
    `must be a list of 1 to ${String(MAX_MATCHED_COLUMNS)} column keys, without duplicates`,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= MAX_MATCHED_COLUMNS &&
      value.every((key) => typeof key === 'string') &&
      new Set(value).size === value.length,
  );

export const IsColumnMapping = (): PropertyDecorator =>
  checked(
    'columns',
    'invalid_format',
    'must be null or an object of column keys by names of columns of the result',
    (value) => {
      if (value === null) return true;
      if (typeof value !== 'object' || Array.isArray(value)) return false;
      const entries = Object.entries(value);
      return (
        entries.length <= MAX_MAPPED_COLUMNS &&
        entries.every(
          ([name, key]) =>
            typeof key === 'string' &&
            name.length <= MAX_NAME_LENGTH &&
            key.length <= MAX_NAME_LENGTH,
        )
      );
    },
  );

export const IsMissingRows = (): PropertyDecorator =>
  IsIn(MISSING_ROWS, {
    message: 'must be "keep" or "delete"',
    context: { code: 'not_a_choice' },
  });

export const IsInterval = (): PropertyDecorator =>
  checked(
    'intervalSeconds',
    'out_of_range',
    `must be null or an integer from ${String(MIN_INTERVAL_SECONDS)} to ${String(MAX_INTERVAL_SECONDS)}`,
    (value) =>
      value === null ||
      (Number.isInteger(value) &&
        Number(value) >= MIN_INTERVAL_SECONDS &&
        Number(value) <= MAX_INTERVAL_SECONDS),
  );

export const IsSwitch = (): PropertyDecorator =>
  IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } });
