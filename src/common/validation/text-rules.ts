import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import type { DetailCode } from '../error/app-error';
import { codePointLength } from '../text/id';

const NAME_LENGTH = 200;
const DESCRIPTION_LENGTH = 2_000;

function rule(
  name: string,
  code: DetailCode,
  message: string,
  validate: (value: unknown) => boolean,
): PropertyDecorator {
  const validator = { validate, defaultMessage: () => message };
  return ValidateBy({ name, validator }, { context: { code } });
}

/**
 * Validates a text's length in code points. Values that are not strings are checked first and have
 * their own error code.
 */
function textRule(name: string, message: string, min: number, max: number): PropertyDecorator {
  return all(
    rule(`${name}String`, 'wrong_type', message, (value) => typeof value === 'string'),
    rule(`${name}Length`, 'out_of_range', message, (value) => {
      const length = codePointLength(value as string);
      return length >= min && length <= max;
    }),
  );
}

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

const trimmed = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' ? value.trim() : value,
);

/** Validates a name: 1 to 200 characters (code points). Trims it first. */
export const IsName = (): PropertyDecorator =>
  all(
    trimmed,
    textRule('name', `must be a string of 1 to ${String(NAME_LENGTH)} characters`, 1, NAME_LENGTH),
  );

/** Validates a description: up to 2,000 characters (code points). Keeps it unchanged. */
export const IsDescription = (): PropertyDecorator =>
  textRule(
    'description',
    `must be a string of up to ${String(DESCRIPTION_LENGTH)} characters`,
    0,
    DESCRIPTION_LENGTH,
  );

/**
 * Allows the property to be absent. Unlike class-validator's `IsOptional`, it does not allow
 * `null`.
 */
export const MayBeAbsent = (): PropertyDecorator =>
  ValidateIf((_object, value: unknown) => value !== undefined);
