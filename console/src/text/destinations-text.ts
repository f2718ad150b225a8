const PASSWORD_HELP = 'It is never shown again.';

/** Texts of the destinations of connections and their settings. */
export const destinationsText = {
  password: { label: 'Password', help: PASSWORD_HELP },
  caCertificate: {
    label: 'CA certificate',
    help: 'In PEM format. Only if no public authority has signed the certificate of the server.',
  },
  host: { label: 'Host', help: 'Name or address of the server.' },
  tls: {
    label: 'Encrypt with TLS',
    help: 'The certificate of the server is checked. Private addresses can be allowed without TLS.',
  },
  duckdb: {
    label: 'DuckDB file',
    summary: 'A file on the server of this service, for analyses with DuckDB. Needs no database.',
    file: {
      label: 'Name of the file',
      help: 'Lower-case letters, digits, “_” and “-”. The file has this name with .duckdb.',
    },
  },
  postgresql: {
    label: 'PostgreSQL',
    summary: 'A schema of a PostgreSQL database, or of one that speaks its protocol and SQL.',
    port: { label: 'Port' },
    database: { label: 'Database' },
    user: { label: 'User', help: 'Needs the right to create tables in the schema.' },
    schema: { label: 'Schema', help: 'It is created if it does not exist.' },
  },
  clickhouse: {
    label: 'ClickHouse',
    summary: 'A database of a ClickHouse server, over its HTTP interface.',
    port: {
      label: 'Port',
      help: 'Of the HTTP interface. Empty: 8443 with TLS, 8123 without.',
    },
    database: { label: 'Database', help: 'It must exist.' },
    user: { label: 'User', help: 'Needs rights to create and change tables in the database.' },
  },
  mysql: {
    label: 'MySQL or MariaDB',
    summary: 'A database of a MySQL or MariaDB server.',
    host: {
      label: 'Host',
      help: 'Name of the server. It can be an address if TLS is off.',
    },
    port: { label: 'Port' },
    database: { label: 'Database' },
    user: { label: 'User', help: 'Needs all privileges on the database.' },
  },
  parquet: {
    label: 'Parquet files',
    summary:
      'Files on S3 or on the server of this service, which most analytics engines read. Copied at intervals.',
    secret: { label: 'Secret access key', help: PASSWORD_HELP },
    storage: { label: 'Storage' },
    storages: {
      s3: 'S3, or a server that is compatible with it',
      directory: 'A directory on the server of this service',
    },
    directory: {
      label: 'Name of the directory',
      help: 'Lower-case letters, digits, “_” and “-”.',
    },
    bucket: { label: 'Bucket', help: 'It must exist.' },
    region: { label: 'Region', help: 'Such as eu-central-1.' },
    endpoint: {
      label: 'Endpoint',
      help: 'URL of a server that is compatible with S3. Empty: Amazon S3.',
    },
    prefix: {
      label: 'Prefix',
      help: 'Directory of the tables in the bucket. Empty: the top of the bucket.',
    },
    accessKeyId: { label: 'Access key ID' },
  },
  iceberg: {
    label: 'Apache Iceberg',
    summary:
      'Tables in S3 with a REST catalog, for Spark, Trino, Snowflake and others. Copied at intervals.',
    secret: {
      label: 'Secrets',
      help: `A JSON object: "catalog" is the token or client secret, "s3" the secret access key. ${PASSWORD_HELP}`,
    },
    uri: { label: 'URL of the catalog' },
    warehouse: { label: 'Warehouse', help: 'Only if the catalog has several.' },
    namespace: { label: 'Namespace', help: 'It is created if it does not exist.' },
    auth: { label: 'Authentication of the catalog' },
    auths: {
      oauth2: 'Client credentials (OAuth 2)',
      token: 'Bearer token',
      none: 'None',
    },
    clientId: { label: 'Client ID' },
    scope: { label: 'Scope', help: 'Empty: catalog.' },
    oauthUri: { label: 'URL for tokens', help: 'Empty: that of the catalog.' },
    s3Endpoint: {
      label: 'S3 endpoint',
      help: 'URL of a server that is compatible with S3. Empty: that of the catalog, or Amazon S3.',
    },
    s3Region: { label: 'S3 region', help: 'Empty: that of the catalog, or us-east-1.' },
    accessKeyId: {
      label: 'S3 access key ID',
      help: 'Empty if the catalog gives temporary keys.',
    },
  },
  snowflake: {
    label: 'Snowflake',
    summary: 'A schema of a Snowflake account. Tested only with the emulator fakesnow.',
    secret: {
      label: 'Private key, token or password',
      help: `With a key pair: the private key in PEM format, without a passphrase. ${PASSWORD_HELP}`,
    },
    account: { label: 'Account identifier', help: 'Such as myorg-myaccount.' },
    user: { label: 'User' },
    authentication: { label: 'Authentication' },
    authentications: {
      keyPair: 'Key pair',
      token: 'Programmatic access token',
      password: 'Password',
    },
    role: { label: 'Role', help: 'Empty: the default role of the user.' },
    warehouse: { label: 'Warehouse' },
    database: { label: 'Database' },
    schema: { label: 'Schema', help: 'It must exist.' },
    url: { label: 'URL of an emulator', help: 'Empty: the host of the account.' },
  },
};
