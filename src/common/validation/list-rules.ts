import { ValidateBy } from 'class-validator';
import { isUuid } from '../text/id';

/** Returns whether a value is a list of 1 or more items without duplicates. */
export const isListOf = (
  value: unknown,
  isItem: (item: unknown) => boolean,
): value is readonly unknown[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(isItem) &&
  new Set(value).size === value.length;

/**
 * Validates `null`, or a list of 1 to `max` ids without duplicates.
 * @param what Kind of the objects in the message, such as `datagrids`.
 */
export const IsIdsOrNull = (what: string, max: number): PropertyDecorator =>
  ValidateBy(
    {
      name: 'idsOrNull',
      validator: {
        validate: (value) =>
          value === null ||
          (isListOf(value, (item) => typeof item === 'string' && isUuid(item)) &&
            value.length <= max),
        defaultMessage: () =>
          `must be null or a list of 1 to ${String(max)} ids of ${what}, without duplicates`,
      },
    },
    { context: { code: 'invalid_format' } },
  );

/** Validates a list of 1 or more of `choices` without duplicates. */
export const IsChoices = (choices: readonly string[]): PropertyDecorator =>
  ValidateBy(
    {
      name: 'choices',
      validator: {
        validate: (value) => isListOf(value, (item) => choices.includes(item as string)),
        defaultMessage: () =>
          `must be a list of 1 or more, without duplicates, of: ${choices.join(', ')}`,
      },
    },
    { context: { code: 'not_a_choice' } },
  );

/** Validates `null`, or a list of 1 or more of `choices` without duplicates. */
export const IsChoicesOrNull = (choices: readonly string[]): PropertyDecorator =>
  ValidateBy(
    {
      name: 'choicesOrNull',
      validator: {
        validate: (value) =>
          value === null || isListOf(value, (item) => choices.includes(item as string)),
        defaultMessage: () => `must be null or a list without duplicates of: ${choices.join(', ')}`,
      },
    },
    { context: { code: 'not_a_choice' } },
  );
