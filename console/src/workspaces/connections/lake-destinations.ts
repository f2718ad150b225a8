import { connectionsText } from '../../text/connections-text';
import {
  ALL_DELETIONS,
  CA_CERTIFICATE,
  type DestinationDescriptor,
} from './destination-descriptor';

const t = connectionsText.destinations;

const IN_DIRECTORY = { name: 'storage', value: 'directory' } as const;
const IN_BUCKET = { name: 'storage', value: 's3' } as const;
const WITH_OAUTH = { name: 'auth', value: 'oauth2' } as const;

/** Parquet files and Apache Iceberg. */
export const LAKE_DESTINATIONS: readonly DestinationDescriptor[] = [
  {
    type: 'parquet',
    label: t.parquet.label,
    summary: t.parquet.summary,
    deletions: ALL_DELETIONS,
    place: ['bucket', 'prefix', 'directory'],
    minMinutes: 5,
    secret: { ...t.parquet.secret, onlyIf: IN_BUCKET },
    fields: [
      {
        name: 'storage',
        ...t.parquet.storage,
        type: 'choice',
        defaultValue: 's3',
        choices: [
          { value: 's3', label: t.parquet.storages.s3 },
          { value: 'directory', label: t.parquet.storages.directory },
        ],
      },
      {
        name: 'directory',
        ...t.parquet.directory,
        type: 'text',
        defaultValue: '',
        onlyIf: IN_DIRECTORY,
      },
      {
        name: 'bucket',
        ...t.parquet.bucket,
        type: 'text',
        defaultValue: '',
        onlyIf: IN_BUCKET,
      },
      {
        name: 'region',
        ...t.parquet.region,
        type: 'text',
        defaultValue: '',
        onlyIf: IN_BUCKET,
      },
      {
        name: 'endpoint',
        ...t.parquet.endpoint,
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: IN_BUCKET,
      },
      {
        name: 'prefix',
        ...t.parquet.prefix,
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: IN_BUCKET,
      },
      {
        name: 'accessKeyId',
        ...t.parquet.accessKeyId,
        type: 'text',
        defaultValue: '',
        onlyIf: IN_BUCKET,
      },
      { ...CA_CERTIFICATE, onlyIf: IN_BUCKET },
    ],
  },
  {
    type: 'iceberg',
    label: t.iceberg.label,
    summary: t.iceberg.summary,
    place: ['uri', 'warehouse', 'namespace'],
    deletions: ['delete', 'mark', 'history'],
    minMinutes: 5,
    secret: t.iceberg.secret,
    fields: [
      { name: 'uri', ...t.iceberg.uri, type: 'text', defaultValue: '' },
      {
        name: 'warehouse',
        ...t.iceberg.warehouse,
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 'namespace',
        ...t.iceberg.namespace,
        type: 'text',
        defaultValue: '',
      },
      {
        name: 'auth',
        ...t.iceberg.auth,
        type: 'choice',
        defaultValue: 'oauth2',
        choices: [
          { value: 'oauth2', label: t.iceberg.auths.oauth2 },
          { value: 'token', label: t.iceberg.auths.token },
          { value: 'none', label: t.iceberg.auths.none },
        ],
      },
      {
        name: 'clientId',
        ...t.iceberg.clientId,
        type: 'text',
        defaultValue: '',
        onlyIf: WITH_OAUTH,
      },
      {
        name: 'scope',
        ...t.iceberg.scope,
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: WITH_OAUTH,
      },
      {
        name: 'oauthUri',
        ...t.iceberg.oauthUri,
        type: 'text',
        defaultValue: '',
        isOptional: true,
        onlyIf: WITH_OAUTH,
      },
      {
        name: 's3Endpoint',
        ...t.iceberg.s3Endpoint,
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 's3Region',
        ...t.iceberg.s3Region,
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      {
        name: 'accessKeyId',
        ...t.iceberg.accessKeyId,
        type: 'text',
        defaultValue: '',
        isOptional: true,
      },
      CA_CERTIFICATE,
    ],
  },
];
