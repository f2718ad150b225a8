import { profileText } from '../../text/profile-text';

const t = profileText.sessions;

/** Browsers in order. The first match counts, because most user agents also name other browsers. */
const BROWSERS = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Returns a name such as `Firefox on Linux`. */
export function nameOfBrowser(userAgent: string | null): string {
  const text = userAgent ?? '';
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1] ?? t.unknownBrowser;
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  return system === undefined ? browser : t.browserOn(browser, system);
}
