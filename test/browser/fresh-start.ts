import type { Environment } from '../support/built-program';
import { eventually } from '../support/eventually';
import { Installation, ServiceProcess } from '../main/service-process';

/** A service after its first start, with the values that it printed. */
export interface FreshStart {
  readonly origin: string;
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
  /** Directory of the embedded PostgreSQL, for `openEmbeddedPostgres`. */
  readonly dataDir: string;
  readonly installation: Installation;
  stop(): Promise<void>;
}

const PRINTED = {
  apiKey: /^API key: +(\S+)$/m,
  email: /^Email: +(\S+)$/m,
  password: /^Password: +(\S+)$/m,
} as const;

/**
 * Starts the built service on an empty directory with its own database, as `npm start` does.
 * @param settings Further settings of the service.
 */
export async function freshStart(settings: Environment = {}): Promise<FreshStart> {
  const installation = await Installation.create();
  const service = await installation.ready({ RATE_LIMIT_REQUESTS: '100000', ...settings });
  const read = (what: keyof typeof PRINTED): Promise<string> =>
    eventually(() => PRINTED[what].exec(service.printed())?.[1]);
  return {
    origin: await service.origin(),
    apiKey: await read('apiKey'),
    email: await read('email'),
    password: await read('password'),
    dataDir: installation.settings['DATA_DIR'] ?? '',
    installation,
    stop: async () => {
      await ServiceProcess.killAll();
      await installation.remove();
    },
  };
}
