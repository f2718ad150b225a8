import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import type { DetailCode } from '../error/detail-code';
import { codePointLength } from '../text/code-point-length';

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

/** Text of a length, counted in code points. What is no string is told apart: it comes first. */
function textRule(name: string, message: string, least: number, most: number): PropertyDecorator {
  return all(
    rule(`${name}String`, 'wrong_type', message, (value) => typeof value === 'string'),
    rule(`${name}Length`, 'out_of_range', message, (value) => {
      const length = codePointLength(value as string);
      return length >= least && length <= most;
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

/** A name: 1 to 200 characters (code points) after trimming, which is done here. */
export const IsName = (): PropertyDecorator =>
  all(
    trimmed,
    textRule('name', `must be a string of 1 to ${String(NAME_LENGTH)} characters`, 1, NAME_LENGTH),
  );

/** A description: up to 2,000 characters (code points), kept as it is. */
export const IsDescription = (): PropertyDecorator =>
  textRule(
    'description',
    `must be a string of up to ${String(DESCRIPTION_LENGTH)} characters`,
    0,
    DESCRIPTION_LENGTH,
  );

/** The member may be absent. Unlike class-validator's `IsOptional`, it may not be `null`. */
export const MayBeAbsent = (): PropertyDecorator =>
  ValidateIf((_object, value: unknown) => value !== undefined);
