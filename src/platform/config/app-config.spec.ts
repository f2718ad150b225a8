import { ConfigError, readConfig } from './app-config';
import { CONSTANTS, settingName } from './constants';
import { settings } from './settings';

const LIMITS = {
  DATABASE_POOL_SIZE: 'databasePoolSize',
  MAX_BODY_BYTES: 'maxBodyBytes',
  MAX_ROW_BYTES: 'maxRowBytes',
  MAX_BUFFERED_BYTES: 'maxBufferedBytes',
  MAX_CONCURRENT_REQUESTS: 'maxConcurrentRequests',
  SHUTDOWN_GRACE_SECONDS: 'shutdownGraceSeconds',
} as const;

const REQUESTS = {
  RATE_LIMIT_REQUESTS: 'rateLimitRequests',
  PUBLIC_RATE_LIMIT_REQUESTS: 'publicRateLimitRequests',
  AUTH_FAILURE_LIMIT: 'authFailureLimit',
} as const;

const TIMEOUTS = {
  DATABASE_ACQUIRE_TIMEOUT_MS: 'databaseAcquireTimeoutMs',
  LOCK_TIMEOUT_MS: 'lockTimeoutMs',
  STATEMENT_TIMEOUT_MS: 'statementTimeoutMs',
  QUERY_TIMEOUT_MS: 'queryTimeoutMs',
  SLOW_REQUEST_MS: 'slowRequestMs',
} as const;

const WINDOWS = {
  REQUEST_TIMEOUT_SECONDS: 'requestTimeoutSeconds',
  RATE_LIMIT_WINDOW_SECONDS: 'rateLimitWindowSeconds',
} as const;

function rejection(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return '';
}

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: undefined,
      databaseUrl: undefined,
      dataDir: '.data',
      databasePoolSize: 10,
      databaseAcquireTimeoutMs: 5_000,
      lockTimeoutMs: 5_000,
      statementTimeoutMs: 30_000,
      redisUrl: undefined,
      rateLimitRequests: 600,
      rateLimitWindowSeconds: 60,
      publicRateLimitRequests: 600,
      authFailureLimit: 60,
      maxBodyBytes: 10_485_760,
      maxRowBytes: 1_048_576,
      maxPageBytes: 33_554_432,
      maxBatchBytes: 16_777_216,
      maxIdempotencyBytes: 1_073_741_824,
      maxColumns: 500,
      requestTimeoutSeconds: 60,
      maxBufferedBytes: 268_435_456,
      maxConcurrentRequests: 200,
      compression: true,
      mcp: true,
      shutdownGraceSeconds: 20,
      slowRequestMs: 1_000,
      logLevel: 'info',
      trustedProxies: [],
    });
  });

  it('treats empty values as missing and ignores unknown names', () => {
    const env = { PORT: '', HOST: '', DATABASE_URL: '', LOG_LEVEL: '', TRUSTED_PROXIES: '' };
    expect(readConfig({ ...env, PATH: '/bin', PORTS: 'x' })).toEqual(readConfig({}));
  });

  it.each([
    ['TLS_CERT_FILE', '/tls.crt', 'TLS_KEY_FILE'],
    ['TLS_KEY_FILE', '/tls.key', 'TLS_CERT_FILE'],
    ['DATABASE_DIRECT_URL', 'postgres://a:secret@b/c', 'DATABASE_URL'],
    ['DATABASE_REPLICA_URL', 'postgres://a:secret@b/c', 'DATABASE_URL'],
  ])('rejects %s=%s without %s', (name, value, needed) => {
    expect(rejection({ [name]: value })).toBe(
      `Wrong setting: ${name} must be set together with ${needed}`,
    );
  });

  it.each(['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'])(
    'hides an invalid %s, which may contain a password',
    (name) => {
      expect(rejection({ [name]: 'http://a:secret@b' })).toMatch(
        new RegExp(`^Wrong setting: ${name} must be a URL that starts with [^(]*$`),
      );
    },
  );

  it('reads the given values', () => {
    const config = readConfig({
      PORT: '0',
      HOST: '::1',
      DATABASE_URL: 'postgresql://a:b@c/d?sslmode=require',
      DATA_DIR: '/var/lib/datagrid',
      LOG_LEVEL: 'silent',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    });
    expect(config).toMatchObject({
      port: 0,
      host: '::1',
      databaseUrl: 'postgresql://a:b@c/d?sslmode=require',
      dataDir: '/var/lib/datagrid',
      logLevel: 'silent',
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
  });

  it('has a property for each setting and each constant, named in camel case', () => {
    const config = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' });
    expect(config.otelExporterOtlpEndpoint).toBe('http://localhost:4318');
    const constants = Object.keys(CONSTANTS).map(settingName);
    const names = Object.keys(config).map(settingName);
    expect(names.sort()).toEqual([...Object.keys(settings.shape), ...constants, 'TLS'].sort());
  });

  it('takes the values of constants from the code, and not from the environment', () => {
    expect(readConfig({ MAX_UNDO_BYTES: '7' }).maxUndoBytes).toBe(268_435_456);
    expect(readConfig({}, { maxUndoBytes: 7 }).maxUndoBytes).toBe(7);
  });

  it('gives certificate and key together', () => {
    const files = { TLS_CERT_FILE: '/tls.crt', TLS_KEY_FILE: '/tls.key' };
    expect(readConfig(files).tls).toEqual({ cert: '/tls.crt', key: '/tls.key' });
    expect(readConfig({}).tls).toBeUndefined();
  });

  it('limits an account to 10 times the requests of a key unless set', () => {
    expect(readConfig({ RATE_LIMIT_REQUESTS: '7' }).accountRateLimitRequests).toBe(70);
    const both = { RATE_LIMIT_REQUESTS: '7', ACCOUNT_RATE_LIMIT_REQUESTS: '8' };
    expect(readConfig(both).accountRateLimitRequests).toBe(8);
  });

  it('reads on and off as booleans', () => {
    expect(readConfig({ REQUIRE_HTTPS: 'on', COMPRESSION: 'off' })).toMatchObject({
      requireHttps: true,
      compression: false,
      preparedStatements: true,
    });
  });

  describe.each(Object.entries(LIMITS))('the setting %s', (name, member) => {
    it.each([1, 7, 2_147_483_648, Number.MAX_SAFE_INTEGER])('accepts %d', (value) => {
      expect(readConfig({ [name]: String(value) })[member]).toBe(value);
    });

    it.each(['0', '-1', '1.5', '1e3', '07', ' 7', '7s', 'many', '9007199254740993', '0x10'])(
      'rejects %j and names the setting',
      (value) => {
        const shown = JSON.stringify(value);
        expect(rejection({ [name]: value })).toMatch(
          new RegExp(`^Wrong setting: ${name} must be a positive integer.* \\(it is ${shown}\\)$`),
        );
      },
    );
  });

  it('accepts at most as many columns as a line of CSV can have', () => {
    expect(readConfig({ MAX_COLUMNS: '1600' }).maxColumns).toBe(1_600);
    const problem = 'must be a number of columns up to 1600 (it is "1601")';
    expect(rejection({ MAX_COLUMNS: '1601' })).toBe(`Wrong setting: MAX_COLUMNS ${problem}`);
  });

  describe.each(Object.entries(WINDOWS))('the setting %s', (name, member) => {
    it.each([1, 60, 2_147_483])('accepts %d', (value) => {
      expect(readConfig({ [name]: String(value) })[member]).toBe(value);
    });

    it.each(['0', '1.5', '7s'])('rejects %j and names the setting', (value) => {
      const problem = `must be a positive integer (it is "${value}")`;
      expect(rejection({ [name]: value })).toBe(`Wrong setting: ${name} ${problem}`);
    });

    it.each(['2147484', '9007199254740991'])(
      'rejects %s, which is too long for a timer',
      (value) => {
        const problem = `must be a number of seconds up to 2147483 (it is "${value}")`;
        expect(rejection({ [name]: value })).toBe(`Wrong setting: ${name} ${problem}`);
      },
    );
  });

  describe.each(Object.entries(REQUESTS))('the setting %s', (name, member) => {
    it.each([1, 600, 999_999_999_999_999])('accepts %d', (value) => {
      expect(readConfig({ [name]: String(value) })[member]).toBe(value);
    });

    it.each(['1000000000000000', '9007199254740991'])(
      'rejects %s, which is too large for an integer of a RateLimit field',
      (value) => {
        const problem = `must be a number of requests up to 999999999999999 (it is "${value}")`;
        expect(rejection({ [name]: value })).toBe(`Wrong setting: ${name} ${problem}`);
      },
    );

    it.each(['0', '1.5', 'many', '9007199254740993'])('rejects %s', (value) => {
      expect(rejection({ [name]: value })).toMatch(/must be a positive integer/);
    });
  });

  describe.each(Object.entries(TIMEOUTS))('the setting %s', (name, member) => {
    it('accepts at most the longest timeout of PostgreSQL', () => {
      expect(readConfig({ [name]: '2147483647' })[member]).toBe(2_147_483_647);
      expect(rejection({ [name]: '0' })).toMatch(/must be a positive integer/);
      expect(rejection({ [name]: '2147483648' })).toBe(
        `Wrong setting: ${name} must be a number of milliseconds up to 2147483647 (it is "2147483648")`,
      );
    });
  });

  it('accepts MAX_PAGE_BYTES up to the maximum length of a string', () => {
    expect(readConfig({ MAX_PAGE_BYTES: '268435456' }).maxPageBytes).toBe(268_435_456);
    expect(rejection({ MAX_PAGE_BYTES: '0' })).toMatch(/MAX_PAGE_BYTES must be a positive integer/);
    expect(rejection({ MAX_PAGE_BYTES: '268435457' })).toBe(
      'Wrong setting: MAX_PAGE_BYTES must be a number of bytes up to 268435456 (it is "268435457")',
    );
  });

  it.each([
    ['PORT', '65536', 'must be a port from 0 to 65535'],
    ['PORT', '-1', 'must be a port from 0 to 65535'],
    ['PORT', 'http', 'must be a port from 0 to 65535'],
    ['LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['COMPRESSION', 'no', 'must be one of on, off'],
    ['TRUSTED_PROXIES', 'proxy.local', 'must be addresses or CIDR ranges, separated by commas'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'must be addresses or CIDR ranges, separated by commas'],
    ['TRUSTED_PROXIES', '10.0.0.1,', 'must be addresses or CIDR ranges, separated by commas'],
  ])('rejects %s=%s with the name and the expected values', (name, value, problem) => {
    expect(rejection({ [name]: value })).toBe(
      `Wrong setting: ${name} ${problem} (it is "${value}")`,
    );
  });

  it('names all invalid settings in one line', () => {
    const message = rejection({ PORT: 'x', MAX_COLUMNS: '0', LOG_LEVEL: 'loud' });
    expect(message).toMatch(/^Wrong setting: PORT .*; MAX_COLUMNS .*; LOG_LEVEL .*$/);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'must be a URL such as http://localhost:4318'],
    ['PUBLIC_URL', 'must be an origin such as https://data.example.com, with nothing behind it'],
  ])('names an invalid %s and hides its value, which may contain a password', (name, problem) => {
    expect(rejection({ [name]: 'htp://a:hunter2@b' })).toBe(`Wrong setting: ${name} ${problem}`);
  });

  it.each([
    'postgres://app@/postgres?host=%2Ftmp%2Fsocket&port=5432',
    'postgres:///postgres?host=/tmp',
    'postgres://a:p%40ss@[::1]:5432/b',
  ])('accepts DATABASE_URL %s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it('names an unparsable DATABASE_URL and hides its value', () => {
    const message = rejection({ DATABASE_URL: 'postgres://root:hunter2@db:port/x' });
    expect(message).toBe('Wrong setting: DATABASE_URL must be a URL, with a port of digits');
  });

  it.each([
    'redis://localhost',
    'redis://:p%40ss@[::1]:6380/2',
    'rediss://user:pass@cache.example.com:6380/',
  ])('accepts REDIS_URL %s', (url) => {
    expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  it.each([
    'http://:hunter2@cache',
    'redis://',
    'redis://:hunter2@cache:port',
    'redis://:hunter2@cache/first',
    'hunter2',
  ])('names an invalid REDIS_URL and hides its value: %s', (value) => {
    expect(rejection({ REDIS_URL: value })).toBe(
      'Wrong setting: REDIS_URL must be a URL such as redis://user:password@host:6379/0, or one with rediss://',
    );
  });

  it.each(['mysql://root:hunter2@db', 'root:hunter2@db', 'hunter2'])(
    'names an invalid DATABASE_URL and hides its value: %s',
    (value) => {
      expect(rejection({ DATABASE_URL: value })).toBe(
        'Wrong setting: DATABASE_URL must be a URL that starts with postgres:// or postgresql://',
      );
    },
  );
});
