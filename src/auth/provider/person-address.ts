import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Returns the form of an email address in which those are equal that reach the same person. Unlike `foldName`, it
 * keeps letters apart that look alike, such as a dotless i, or that fold to several: another person may have them.
 */
export function addressKey(email: string): string {
  const at = email.lastIndexOf('@');
  return `${lowered(email.slice(0, at + 1))}${domainKey(email.slice(at + 1))}`;
}

/** Returns the ASCII form of a domain, which DNS knows, in lower case. */
export function domainKey(domain: string): string {
  // The function decodes escapes, as in URLs.
  const isPlain = isAscii(domain) || /[\s%/\\?#@:[\]<>^|]/.test(domain);
  return isPlain ? lowered(domain) : domainToASCII(domain) || lowered(domain);
}

/** Returns the form of a domain in which owners see it. */
export const shownDomain = (domain: string): string => domainToUnicode(domainKey(domain)) || domain;

/** Returns the key of the domain of an email address. */
export const domainOf = (email: string): string =>
  domainKey(email.slice(email.lastIndexOf('@') + 1));

/** No other letters become ASCII ones, as the Kelvin sign would. */
function lowered(text: string): string {
  const lower = text.normalize('NFC').toLowerCase();
  return isAscii(lower) && !isAscii(text) ? text : lower;
}

/** Returns whether PostgreSQL can store a text: without NUL and unpaired surrogates. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
