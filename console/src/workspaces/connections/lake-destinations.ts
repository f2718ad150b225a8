import {
  ALL_DELETIONS,
  CA_CERTIFICATE,
  type DestinationDescriptor,
  PASSWORD,
} from './destination-descriptor';

const IN_DIRECTORY = { name: 'storage', value: 'directory' } as const;
const IN_BUCKET = { name: 'storage', value: 's3' } as const;
const WITH_OAUTH = { name: 'auth', value: 'oauth2' } as const;

/** Parquet files and Apache Iceberg. */
export const LAKE_DESTINATIONS: readonly DestinationDescriptor[] = [
  {
    type: 'parquet',
    label: 'Parquet files',
    summary:
      'Files on S3 or on the server of this service, which most analytics engines read. Copied at intervals.',
    deletions: ALL_DELETIONS,
    place: ['bucket', 'prefix', 'directory'],
    minMinutes: 5,
    secret: { label: 'Secret access key', help: PASSWORD.help, onlyIf: IN_BUCKET },
    fields: [
      {
        name: 'storage',
        label: 'Storage',
        type: 'choice',
        defaultValue: 's3',
        choices: [
          { value: 's3', label: 'S3, or a server that is compatible with it' },
          { value: 'directory', label: 'A directory on the server of this service' },
        ],
      },
      {
        name: 'directory',
        label: 'Name of the directory',
        help: 'Lower-case letters, digits, “_” and “-”.',
        type: 'text',
        defaultValue: '',
        onlyIf: IN_DIRECTORY,
      },
      {
        name: 'bucket',
        label: 'Bucket',
        help: 'It must exist.',
        type: 'text',
        defaultValue: '',
        onlyIf: IN_BUCKET,
      },
      {
        name: 'region',
        label: 'Region',
        help: 'Such as eu-central-1.',
        type: 'text',
        defaultValue: '',
        onlyIf: IN_BUCKET,
      },
      {
        name: 'endpoint',
        label: 'Endpoint',
        help: 'URL of a server that is compatible with S3. Empty: Amazon S3.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: IN_BUCKET,
      },
      {
        name: 'prefix',
        label: 'Prefix',
        help: 'Directory of the tables in the bucket. Empty: the top of the bucket.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: IN_BUCKET,
      },
      {
        name: 'accessKeyId',
        label: 'Access key ID',
        type: 'text',
        defaultValue: '',
        onlyIf: IN_BUCKET,
      },
      { ...CA_CERTIFICATE, onlyIf: IN_BUCKET },
    ],
  },
  {
    type: 'iceberg',
    label: 'Apache Iceberg',
    summary:
      'Tables in S3 with a REST catalog, for Spark, Trino, Snowflake and others. Copied at intervals.',
    place: ['uri', 'warehouse', 'namespace'],
    deletions: ['delete', 'mark', 'history'],
    minMinutes: 5,
    secret: {
      label: 'Secrets',
      help: `A JSON object: "catalog" is the token or client secret, "s3" the secret access key. ${PASSWORD.help}`,
    },
    fields: [
      { name: 'uri', label: 'URL of the catalog', type: 'text', defaultValue: '' },
      {
        name: 'warehouse',
        label: 'Warehouse',
        help: 'Only if the catalog has several.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 'namespace',
        label: 'Namespace',
        help: 'It is created if it does not exist.',
        type: 'text',
        defaultValue: '',
      },
      {
        name: 'auth',
        label: 'Authentication of the catalog',
        type: 'choice',
        defaultValue: 'oauth2',
        choices: [
          { value: 'oauth2', label: 'Client credentials (OAuth 2)' },
          { value: 'token', label: 'Bearer token' },
          { value: 'none', label: 'None' },
        ],
      },
      {
        name: 'clientId',
        label: 'Client ID',
        type: 'text',
        defaultValue: '',
        onlyIf: WITH_OAUTH,
      },
      {
        name: 'scope',
        label: 'Scope',
        help: 'Empty: catalog.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: WITH_OAUTH,
      },
      {
        name: 'oauthUri',
        label: 'URL for tokens',
        help: 'Empty: that of the catalog.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: WITH_OAUTH,
      },
      {
        name: 's3Endpoint',
        label: 'S3 endpoint',
        help: 'URL of a server that is compatible with S3. Empty: that of the catalog, or Amazon S3.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 's3Region',
        label: 'S3 region',
        help: 'Empty: that of the catalog, or us-east-1.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 'accessKeyId',
        label: 'S3 access key ID',
        help: 'Empty if the catalog gives temporary keys.',
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      CA_CERTIFICATE,
    ],
  },
];
