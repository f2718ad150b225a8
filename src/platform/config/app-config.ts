import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { z } from 'zod';
import { type Constants, CONSTANTS } from './constants';
import { settings, type Settings } from './settings';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Default of the account's limit, as a multiple of the limit of one key. */
const KEYS_PER_ACCOUNT_LIMIT = 10;

/** Settings with the defaults that depend on other settings. */
const completeSettings = settings.transform((given) => ({
  ...given,
  ACCOUNT_RATE_LIMIT_REQUESTS:
    given.ACCOUNT_RATE_LIMIT_REQUESTS ?? given.RATE_LIMIT_REQUESTS * KEYS_PER_ACCOUNT_LIMIT,
}));

/** Settings that require another one. */
const NEEDS: readonly (readonly [keyof Settings, keyof Settings])[] = [
  ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
  ['TLS_KEY_FILE', 'TLS_CERT_FILE'],
  ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
  ['DATABASE_REPLICA_URL', 'DATABASE_URL'],
];

function missingPartners(given: Readonly<Record<string, unknown>>): string[] {
  return NEEDS.filter(([name, needed]) => name in given && !(needed in given)).map(
    ([name, needed]) => `${name} must be set together with ${needed}`,
  );
}

type CompleteSettings = z.output<typeof completeSettings>;

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_./g, ([, letter = '']) => letter.toUpperCase());
}

/** Values of all settings and constants: that of `DATABASE_POOL_SIZE` is `databasePoolSize`. */
type AppConfigValues = {
  readonly [Name in keyof CompleteSettings as CamelCase<Name>]: CompleteSettings[Name];
} & Constants & {
    /** Certificate and key for HTTPS. If unset, the service uses HTTP. */
    readonly tls: CertificateFiles | undefined;
  };

/**
 * Base class with a property for each setting and each constant. TypeScript cannot infer these from the
 * names.
 */
const ConfigBase = class {
  readonly tls: CertificateFiles | undefined;

  constructor(values: CompleteSettings, constants: Constants) {
    const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = values;
    this.tls = cert !== undefined && key !== undefined ? { cert, key } : undefined;
    const byName: Readonly<Record<string, unknown>> = values;
    const names = Object.keys(settings.shape);
    Object.assign(this, constants);
    Object.assign(this, Object.fromEntries(names.map((name) => [camelCase(name), byName[name]])));
  }
} as new (values: CompleteSettings, constants: Constants) => AppConfigValues;

/**
 * Validated configuration. Settings are read from here only. For each, see `settings.ts`, and for
 * constants `constants.ts`.
 */
export class AppConfig extends ConfigBase {}

/** Thrown when settings are invalid. The message names each of them, in one line. */
export class ConfigError extends Error {}

/**
 * Reads the settings from an environment. An empty value counts as unset.
 * @param constants Other values of constants, for tests.
 * @throws ConfigError naming every invalid setting.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  constants: Partial<Constants> = {},
): AppConfig {
  const given = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const result = completeSettings.safeParse(given);
  const problems = result.success
    ? missingPartners(given)
    : result.error.issues.map(({ path, message }) => {
        const name = String(path[0]);
        const isSecret = MAY_HOLD_PASSWORD.test(name);
        return `${name} ${message}${isSecret ? '' : ` (it is ${JSON.stringify(given[name])})`}`;
      });
  if (!result.success || problems.length > 0) {
    throw new ConfigError(`Wrong setting: ${problems.join('; ')}`);
  }
  return new AppConfig(result.data, { ...CONSTANTS, ...constants });
}

/** Returns the URLs at which a service that listens at `origin` can be reached, best first. */
export function serviceUrls({ publicUrl }: AppConfig, origin: string): string[] {
  return publicUrl === undefined ? [origin] : [publicUrl, origin];
}

/** Returns the configuration with the URL of a running service, if there is one and no setting. */
export function configWithService(config: AppConfig, serviceUrl: string | null): AppConfig {
  if (config.publicUrl !== undefined || serviceUrl === null) return config;
  const copy = Object.create(AppConfig.prototype) as AppConfig;
  return Object.assign(copy, config, { publicUrl: serviceUrl });
}

/** URLs, which may contain a user name and a password. */
const MAY_HOLD_PASSWORD = /_URL$|^OTEL_EXPORTER_OTLP_ENDPOINT$/;

/** Provides the validated configuration to all modules. */
@Global()
@Module({})
export class ConfigModule {
  static of(config: AppConfig): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: AppConfig, useValue: config }],
      exports: [AppConfig],
    };
  }
}

/**
 * Returns the configuration of this process.
 * @throws ConfigError as `readConfig` does.
 */
export function configFromEnvironment(): AppConfig {
  return readConfig(process.env);
}

/** Sets variables of the environment that a library reads while it is loaded. They are no settings. */
export function setLibraryVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
