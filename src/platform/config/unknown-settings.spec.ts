import { settings } from './settings';
import { unknownSettings } from './unknown-settings';

const hintFor = (name: string): string | undefined => unknownSettings({ [name]: 'x' })[0]?.hint;

describe('unknownSettings', () => {
  it.each([
    ['QUOTA_ROW', 'QUOTA_ROWS'],
    ['QUOTAS_ROWS', 'QUOTA_ROWS'],
    ['ROWS_QUOTA', 'QUOTA_ROWS'],
    ['QUOTA_WORKSPACE', 'QUOTA_WORKSPACES'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATABASE_DIRECT', 'DATABASE_DIRECT_URL'],
    ['DIRECT_DATABASE_URL', 'DATABASE_DIRECT_URL'],
    ['RATE_LIMIT', 'RATE_LIMIT_REQUESTS'],
    ['RATE_LIMIT_REQUEST', 'RATE_LIMIT_REQUESTS'],
    ['PREPARED_STATEMENT', 'PREPARED_STATEMENTS'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['REQUIRE_HTTP', 'REQUIRE_HTTPS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['DATAGRID_DATABASE_URL', 'DATABASE_URL'],
    ['MAX_BODY_SIZE', 'MAX_BODY_BYTES'],
    ['QUERY_LIMIT_MS', 'QUERY_TIMEOUT_MS'],
    ['IMPORT_CHUNK_ROWS', 'IMPORT_BATCH_ROWS'],
  ])('suggests for %s the setting %s', (name, nearest) => {
    expect(hintFor(name)).toBe(`Did you mean ${nearest}?`);
  });

  it('says what to do instead of a setting that was removed', () => {
    expect(hintFor('WORKERS')).toContain('start more instances');
    expect(hintFor('MAX_UNDO_BYTES')).toBe('It is always 268435456.');
    expect(hintFor('WEBHOOK_RETRY_SECONDS')).toBe('It is always 5,30,300,1800,7200,18000,36000.');
    expect(hintFor('EXPORT_SPOOL_BYTES')).toContain('half of MAX_SPOOL_BYTES');
  });

  it.each([
    ...['PATH', 'HOME', 'HOSTNAME', 'HOSTS', 'PORTS', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'USER'],
    ...[
      'NODE_ENV',
      'NODE_OPTIONS',
      'NODE_EXTRA_CA_CERTS',
      'npm_config_cache',
      'npm_lifecycle_event',
    ],
    ...['OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
    ...['DATAGRID_SERVICE_HOST', 'DATAGRID_SERVICE_PORT', 'DATAGRID_SERVICE_PORT_HTTP'],
    ...['METRICS_PORT_9464_TCP', 'METRICS_PORT_9464_TCP_ADDR', 'REDIS_PORT', 'REDIS_SERVICE_HOST'],
    ...['DATABASE_PORT_5432_TCP_PROTO', 'KUBERNETES_PORT', 'KUBERNETES_SERVICE_HOST'],
    ...['POSTGRES_PASSWORD', 'PGHOST', 'PGUSER', 'REDIS_PASSWORD', 'DATABASE_PASSWORD'],
    ...['PROXY_TIMEOUT_SECONDS', 'MAX_HEADER_BYTES', 'REDIS_MAX_RETRIES'],
    ...[
      'HTTPS_PROXY',
      'NO_PROXY',
      'SSL_CERT_FILE',
      'NIX_SSL_CERT_FILE',
      'AWS_REGION',
      'POD_NAME',
      'constructor',
      'CI',
      'EDITOR',
    ],
  ])('ignores %s, which belongs to another program', (name) => {
    expect(hintFor(name)).toBeUndefined();
  });

  it('ignores known settings and names without a value', () => {
    const known = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, '1']));
    expect(unknownSettings({ ...known, QUOTA_ROW: '' })).toEqual([]);
  });
});
