import { text } from '../text/text';

/** Requirements of a password. */
export const PASSWORD_HINT = text.passwords.hint;
