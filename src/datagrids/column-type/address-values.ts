import { isEmail } from 'class-validator';
import { accept, reject, type Checked } from './checked';

export const MAX_EMAIL_LENGTH = 320;
export const MAX_URL_LENGTH = 8_192;

/** White space and control characters, which the URL parser and quoted local parts accept. */
const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

/** Checked before parsing, because the parser silently repairs `http:host` and `http:///host`. */
const HTTP_WITH_HOST = /^https?:\/\/[^/\\?#]/i;

/**
 * Matches most addresses in use, all far below the length limits. `isEmail` takes 30 times as long.
 */
const USUAL_EMAIL = /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*@(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}$/i;
const USUAL_EMAIL_LENGTH = 64;

/** Checks one address, `local@domain`, of up to 320 characters. Stored as sent. */
export function checkEmail(value: unknown): Checked {
  if (typeof value !== 'string')
    return reject('wrong_type', 'must be a string containing an email address');
  if (value.length <= USUAL_EMAIL_LENGTH && USUAL_EMAIL.test(value)) return accept(value);
  if (value.length > MAX_EMAIL_LENGTH) {
    return reject('out_of_range', 'must have at most 320 characters');
  }
  return !SPACE_OR_CONTROL.test(value) && isEmail(value)
    ? accept(value)
    : reject('invalid_format', 'must be one email address, such as "ada@example.com"');
}

/** Checks an http or https URL (WHATWG URL Standard) of up to 8,192 characters. Stored as sent. */
export function checkUrl(value: unknown): Checked {
  if (typeof value !== 'string') return reject('wrong_type', 'must be a string containing a URL');
  if (value.length > MAX_URL_LENGTH) {
    return reject('out_of_range', 'must have at most 8192 characters');
  }
  const isUrl = HTTP_WITH_HOST.test(value) && !SPACE_OR_CONTROL.test(value) && URL.canParse(value);
  return isUrl
    ? accept(value)
    : reject('invalid_format', 'must be an http or https URL, such as "https://example.com/a"');
}
