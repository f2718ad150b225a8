import { isIP } from 'node:net';
import type { Site } from '../../auth/factor/passkey.service';
import { linkBase } from '../../auth/link-base';
import { conflict } from '../../common/error/app-error';
import type { AppConfig } from '../../platform/config/app-config';
import type { Visit } from '../visit';

/**
 * Returns the site that passkeys are for: that of PUBLIC_URL, or localhost. A request does not choose it.
 * @throws AppError `conflict` if there is none, or if it has no name.
 */
export function siteOf(config: AppConfig, { origin }: Visit): Site {
  const { hostname, origin: own } = new URL(linkBase(config, origin));
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) > 0) throw conflict(NO_NAME);
  return { id: hostname, origin: own };
}

const NO_NAME =
  'Passkeys need a host name. Open the console by its name, such as localhost in place of 127.0.0.1.';
