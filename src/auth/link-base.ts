import { conflict } from '../common/error/app-error';
import { isLoopbackHost } from '../common/text/id';
import type { AppConfig } from '../platform/config/app-config';

const PUBLIC_URL_MISSING =
  'PUBLIC_URL is not set. Set it to the URL of the console, such as https://data.example.com; ' +
  'links point to it.';

/**
 * Returns the base URL of invite links and public links, without a trailing slash. For a command beside a
 * service on the embedded database, `publicUrl` is the URL of that service.
 * @param origin Origin at which the client reached the service; unset for a command.
 * @throws AppError `conflict` if PUBLIC_URL is not set and the service is not used on localhost:
 *   it does not know the URL that other machines must use.
 */
export function linkBase(
  { publicUrl, host, databaseUrl, port, tls }: AppConfig,
  origin?: string,
): string {
  if (publicUrl !== undefined) return publicUrl;
  if (origin !== undefined) {
    // The client may have sent more than a host.
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url && isLoopbackHost(url.hostname)) return url.origin;
  } else if (
    port !== 0 &&
    (host === undefined ? databaseUrl === undefined : isLoopbackHost(host))
  ) {
    return `${tls ? 'https' : 'http'}://localhost:${String(port)}`;
  }
  throw conflict(PUBLIC_URL_MISSING);
}
