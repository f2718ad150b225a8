import { isLoopbackHost } from '../../common/text/id';

export const MAX_URI_LENGTH = 500;

/** Schemes of applications that have no domain in their scheme, as RFC 8252 demands. */
const KNOWN_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

/** A scheme that is a domain in reverse, such as `com.example.app:` (RFC 8252, 7.1). */
const DOMAIN_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/** Printable ASCII: anything else must be escaped in a URI. */
const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * Returns whether an application may have a redirect URI: HTTPS, HTTP to the machine of the user, or the
 * scheme of an application. Never one that a browser would run, such as `javascript:`.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_URI_LENGTH || !PRINTABLE.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (text.includes('#') || username !== '' || password !== '') return false;
  if (protocol === 'https:') return hostname !== '';
  if (protocol === 'http:') return isLoopbackHost(hostname);
  return KNOWN_SCHEMES.has(protocol) || DOMAIN_SCHEME.test(protocol);
}

/** Returns whether a redirect URI leads to the machine of the user. */
export function isLoopbackUri(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

/**
 * Returns whether a redirect URI is one of the registered ones: the same text, but the port of a loopback
 * address may differ, because an application takes any that is free (RFC 8252, 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  if (!isRedirectUri(uri) || !isLoopbackUri(uri)) return false;
  return registered.some((each) => isLoopbackUri(each) && withoutPort(each) === withoutPort(uri));
}

/** What of a URI follows its port is compared as it was written. */
function withoutPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/?:]*))(?::\d*)?/i, '$1');
}

/** Returns a redirect URI with parameters added to its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${separator}${new URLSearchParams(parameters).toString()}`;
}
