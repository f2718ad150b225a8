import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { codePointLength } from '../text/code-point-length';

const NAME_LENGTH = 200;
const DESCRIPTION_LENGTH = 2_000;

function textRule(
  name: string,
  message: string,
  holds: (text: string) => boolean,
): PropertyDecorator {
  return ValidateBy(
    {
      name,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && holds(value),
        defaultMessage: () => message,
      },
    },
    { context: { code: 'invalid_text' } },
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
    textRule('isName', `must be a string of 1 to ${String(NAME_LENGTH)} characters`, (text) => {
      const length = codePointLength(text);
      return length >= 1 && length <= NAME_LENGTH;
    }),
  );

/** A description: up to 2,000 characters (code points), kept as it is. */
export const IsDescription = (): PropertyDecorator =>
  textRule(
    'isDescription',
    `must be a string of up to ${String(DESCRIPTION_LENGTH)} characters`,
    (text) => codePointLength(text) <= DESCRIPTION_LENGTH,
  );

/** The member may be absent. Unlike class-validator's `IsOptional`, it may not be `null`. */
export const MayBeAbsent = (): PropertyDecorator =>
  ValidateIf((_object, value: unknown) => value !== undefined);
