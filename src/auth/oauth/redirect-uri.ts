import { isLoopbackHost } from '../../common/text/id';

export const MAX_URI_LENGTH = 500;

/** Schemes of applications that have no domain in their scheme, as RFC 8252 demands. */
const KNOWN_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

/**
 * A scheme that is a domain in reverse, such as `com.example.app:` (RFC 8252, 7.1), and does not look like that of a
 * web page.
 */
const DOMAIN_SCHEME = /^(?!http)[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/** Printable ASCII without what a browser takes for a slash: anything else must be escaped in a URI. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]+$/;

/** A browser adds slashes that are missing. Other readers see no host. */
const HAS_HOST = /^https?:\/\/[^/]/i;

/**
 * Returns whether an application may have a redirect URI: HTTPS, HTTP to the machine of the user, or the
 * scheme of an application. Never one that a browser would run, such as `javascript:`.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_URI_LENGTH || !PRINTABLE.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (text.includes('#') || username !== '' || password !== '') return false;
  if (protocol === 'https:') return HAS_HOST.test(text);
  if (protocol === 'http:') return HAS_HOST.test(text) && isLoopbackHost(hostname);
  return KNOWN_SCHEMES.has(protocol) || DOMAIN_SCHEME.test(protocol);
}

/** Where a redirect URI leads, for people. */
export interface RedirectTarget {
  /** A host with its port, or the scheme of an application, in which the host means nothing. */
  readonly redirectHost: string;
  /** Whether it is a program on the machine of the user. Anybody can write one. */
  readonly isLocal: boolean;
}

export function targetOf(text: string): RedirectTarget {
  const { protocol, host } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return { redirectHost: isWeb ? host : protocol.slice(0, -1), isLocal: protocol !== 'https:' };
}

function isLoopbackUri(text: string): boolean {
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
