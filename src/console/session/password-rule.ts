import { ValidateBy } from 'class-validator';
import { codePointLength } from '../../common/text/code-point-length';

const [LEAST, MOST] = [10, 200];
const MESSAGE = `must be a string of ${String(LEAST)} to ${String(MOST)} characters`;

const isLongEnough = (value: unknown): boolean => {
  if (typeof value !== 'string') return false;
  const length = codePointLength(value);
  return length >= LEAST && length <= MOST;
};

/** Validates a new password: 10 to 200 characters (code points) of any kind. */
export const IsPassword = (): PropertyDecorator =>
  ValidateBy(
    { name: 'password', validator: { validate: isLongEnough, defaultMessage: () => MESSAGE } },
    { context: { code: 'out_of_range' } },
  );
