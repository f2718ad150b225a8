import { createPrivateKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { setLibraryVariables } from '../../platform/config/app-config';
import { DestinationError } from '../destination';
import type { SnowflakeHttp } from './snowflake-http';
import { type SnowflakeSettings, urlOf } from './snowflake-settings';

/** What this service uses of a connection of the driver. */
export interface DriverConnection {
  connect(callback: (error: unknown) => void): void;
  execute(options: {
    readonly sqlText: string;
    readonly binds?: readonly string[];
    readonly parameters: Readonly<Record<string, string | number | boolean>>;
    readonly complete: (error: unknown, statement: unknown, rows?: unknown) => void;
  }): void;
  destroy(callback: (error: unknown) => void): void;
}

/** What this service uses of the inside of `snowflake-sdk`. A test fails if it is not there. */
interface Driver {
  createConnection(options: Readonly<Record<string, unknown>>): DriverConnection;
}
type DriverFactory = (options: {
  readonly httpClient: SnowflakeHttp;
  readonly loggerClass: typeof SilentLogger;
  readonly client: {
    readonly name: string;
    readonly version: string;
    readonly environment: object;
  };
}) => Driver;

/**
 * Without these variables, loading the driver asks the metadata services of clouds who this machine
 * is, with its credentials, and loads a native library.
 */
const SWITCHED_OFF = {
  SNOWFLAKE_DISABLE_PLATFORM_DETECTION: 'true',
  SNOWFLAKE_DISABLE_MINICORE: 'true',
} as const;

/** Logger of the driver that writes nothing, and creates no file. */
class SilentLogger {
  private static readonly nothing = (): undefined => undefined;
  readonly configure = SilentLogger.nothing;
  readonly error = SilentLogger.nothing;
  readonly warn = SilentLogger.nothing;
  readonly info = SilentLogger.nothing;
  readonly debug = SilentLogger.nothing;
  readonly trace = SilentLogger.nothing;
}

/**
 * Returns a connection of the official driver, whose HTTP client is that of the service.
 * @throws DestinationError if the driver is not installed, or the secret has another form.
 */
export async function createConnection(
  settings: SnowflakeSettings,
  secret: string | null,
  httpClient: SnowflakeHttp,
): Promise<DriverConnection> {
  const { account, user, role, warehouse, database, schema } = settings;
  const url = urlOf(settings);
  const driver = (await loadDriver())({
    httpClient,
    loggerClass: SilentLogger,
    // Snowflake sends results to clients with this name as JSON.
    client: { name: 'JavaScript', version: driverVersion(), environment: {} },
  });
  return driver.createConnection({
    account,
    username: user,
    ...credentialsOf(settings, secret),
    host: url.hostname,
    accessUrl: url.origin,
    warehouse,
    database,
    schema,
    ...(role !== null && { role }),
    rowMode: 'array',
    disableQueryContextCache: true,
    validateDefaultParameters: false,
  });
}

function credentialsOf(
  { authentication }: SnowflakeSettings,
  secret: string | null,
): Readonly<Record<string, string>> {
  if (secret === null) {
    const message = 'The connection has no secret. Send one.';
    throw new DestinationError('configuration', message);
  }
  if (authentication === 'password') return { password: secret };
  if (authentication === 'token') {
    return { authenticator: 'PROGRAMMATIC_ACCESS_TOKEN', token: secret };
  }
  return { authenticator: 'SNOWFLAKE_JWT', privateKey: privateKeyOf(secret) };
}

const PEM =
  /^(-----BEGIN [A-Z ]*PRIVATE KEY-----)([\sA-Za-z\d+/=]+)(-----END [A-Z ]*PRIVATE KEY-----)$/;

/** Returns a private key in the only form that the driver reads. */
function privateKeyOf(secret: string): string {
  try {
    // A form with one line removes line breaks.
    const [, begin = '', body = '', end = ''] = PEM.exec(secret.trim()) ?? [];
    const lines = body.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? [];
    const key = createPrivateKey([begin, ...lines, end].join('\n'));
    if (key.asymmetricKeyType !== 'rsa') throw new Error('Not RSA.');
    return key.export({ format: 'pem', type: 'pkcs8' }).toString();
  } catch {
    // The cause could have a part of the key.
    throw new DestinationError(
      'configuration',
      'The secret is no private key. Send an RSA key in PEM format, without a passphrase.',
    );
  }
}

/** Loads the driver, which is an optional dependency. */
async function loadDriver(): Promise<DriverFactory> {
  setLibraryVariables(SWITCHED_OFF);
  try {
    const module: unknown = await import('snowflake-sdk/dist/lib/core.js');
    return (module as { readonly default: DriverFactory }).default;
  } catch (cause) {
    throw new DestinationError(
      'configuration',
      'The driver of Snowflake is not installed. The operator must install the npm package snowflake-sdk.',
      { cause },
    );
  }
}

function driverVersion(): string {
  // Node imports JSON only as an experiment.
  const description: unknown = createRequire(__filename)('snowflake-sdk/package.json');
  return (description as { readonly version: string }).version;
}
