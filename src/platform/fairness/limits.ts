import type { Limit } from './limit';

const DATABASE_QUEUE = {
  total: { setting: 'databaseMaxWaiting' },
  max: { setting: 'databaseAcquireTimeoutMs' },
} as const;
const QUERY_MESSAGES = {
  full: 'Too many queries are running. Retry later.',
  accountFull: 'Too many queries of this account are running. Retry later.',
  stuck: 'The database does not respond. Retry later.',
};
const COLUMN_READS = {
  waiting: { total: 64, max: { setting: 'databaseAcquireTimeoutMs' } },
  messages: {
    full: 'Too many large datagrids are being read. Retry later.',
    accountFull: 'This account is reading too many large datagrids at a time. Retry later.',
  },
  tests: ['test/fairness/column-metadata.fairness-spec.ts'],
} as const;

/** Limits of all resources that a semaphore bounds. `npm run settings` writes the documents. */
export const LIMITS = {
  changeReaders: {
    resource: 'clients that wait for changes',
    total: { setting: 'maxLiveReaders' },
    messages: {
      full: 'Too many clients are waiting for changes. Retry later.',
      accountFull: 'Too many clients of this account are waiting for changes. Retry later.',
    },
    tests: ['test/e2e/changes/live.e2e-spec.ts'],
  },
  changeStreams: {
    resource: 'streams of lines with changes',
    // Each reads one page at a time.
    total: { setting: 'maxConcurrentExports', times: 4 },
    messages: {
      full: 'Too many streams of changes are being read. Retry later.',
      accountFull: 'This account is reading too many streams of changes. Retry later.',
    },
    tests: ['src/changes/live-readers.spec.ts'],
  },
  /** Parsing of large bodies, for all routes: they share one event loop. */
  largeBodies: {
    resource: 'large bodies being parsed',
    total: 4,
    waiting: { total: 400, max: 10_000 },
    messages: {
      full: 'Too many large bodies are being parsed. Retry later.',
      accountFull: 'Too many large bodies of this account are being parsed. Retry later.',
    },
    tests: ['test/fairness/large-bodies.fairness-spec.ts'],
  },
  /**
   * While other accounts are active, the load of an account on PostgreSQL's processors and locks slows
   * down the statements of all of them. One slow request must not block all others of its account.
   */
  mainPool: {
    resource: 'connections of the main pool',
    total: { setting: 'databasePoolSize', reservesOne: true },
    perAccount: { part: 4 / 5 },
    perActiveAccount: { part: 1 / 5, atLeast: 2 },
    cooldown: { thresholdMs: 50, maxMs: 1_000, appliesToLastPermit: false },
    waiting: DATABASE_QUEUE,
    messages: {
      full: 'Too many requests are waiting for the database. Retry later.',
      accountFull: 'Too many requests of this account are using the database. Retry later.',
      stuck: 'The database does not respond. Retry later.',
    },
    tests: [
      'test/e2e/load/account-connections.long.e2e-spec.ts',
      'test/faults/database-limits.fault-spec.ts',
    ],
  },
  queries: {
    resource: 'connections for filtered and sorted reads',
    total: { setting: 'databasePoolSize' },
    perActiveAccount: { part: 1 / 5 },
    waiting: DATABASE_QUEUE,
    messages: QUERY_MESSAGES,
    tests: ['test/e2e/rows/query-share.long.e2e-spec.ts'],
  },
  /** Each scan keeps a processor of PostgreSQL busy. */
  scans: {
    resource: 'of these, for scans',
    total: { setting: 'databasePoolSize' },
    perAccount: { part: 1 / 5 },
    perActiveAccount: { part: 1 / 10 },
    cooldown: { thresholdMs: 50, maxMs: 1_000, appliesToLastPermit: true },
    waiting: DATABASE_QUEUE,
    messages: QUERY_MESSAGES,
    tests: ['test/e2e/rows/query-share.long.e2e-spec.ts'],
  },
  /** Each runs in a process of its account, which has two threads. */
  sqlQueries: {
    resource: 'SQL statements in progress',
    total: 4,
    perAccount: 2,
    waiting: { total: 64, perAccount: 8, max: { setting: 'databaseAcquireTimeoutMs' } },
    messages: {
      full: 'Too many SQL statements are running. Retry later.',
      accountFull: 'Too many SQL statements of this account are running. Retry later.',
    },
    tests: ['test/e2e/sql/sql-limits.long.e2e-spec.ts'],
  },
  largeColumnReads: {
    resource: 'reads of column metadata over 64 KiB',
    total: 8,
    perActiveAccount: 1,
    ...COLUMN_READS,
    beyondNote: 'does not apply in a transaction',
  },
  hugeColumnReads: {
    resource: 'reads of column metadata over 2 MiB',
    total: 1,
    ...COLUMN_READS,
    beyondNote: 'in a transaction, does not wait',
  },
  /** Those of two instances load 8 processors of PostgreSQL. */
  columnScans: {
    resource: 'checks of a column with over 64 KiB of values',
    total: 4,
    waiting: { total: 4, max: { setting: 'databaseAcquireTimeoutMs' } },
    messages: {
      full: 'Too many large datagrids are being checked. Retry later.',
      accountFull: 'Too many large datagrids of this account are being checked. Retry later.',
    },
    beyondNote: 'in a transaction, does not wait',
    tests: ['test/e2e/columns/large-values.long.e2e-spec.ts'],
  },
  imports: {
    resource: 'imports in progress',
    total: { setting: 'maxConcurrentImports' },
    waiting: { total: { setting: 'maxConcurrentImports', times: 4 }, max: 5_000 },
    messages: {
      full: 'Too many imports are running. Retry later.',
      accountFull: 'This account has too many imports running. Retry later.',
    },
    tests: ['test/e2e/import/permits.long.e2e-spec.ts'],
  },
  exports: {
    resource: 'exports read from PostgreSQL',
    total: { setting: 'maxConcurrentExports' },
    waiting: { total: { setting: 'maxConcurrentExports', times: 4 }, max: 5_000 },
    messages: {
      full: 'Too many exports are running. Retry later.',
      accountFull: 'This account has too many exports running. Retry later.',
    },
    tests: ['test/e2e/export/permits.long.e2e-spec.ts'],
  },
  /** After its last row is read, an export only needs room on the disk while its client reads it. */
  unsentExports: {
    resource: 'exports until their last byte is read',
    total: { setting: 'maxConcurrentExports', times: 4 },
    messages: {
      full: 'Too many exports are waiting to be read. Retry later.',
      accountFull: 'This account has too many exports waiting to be read. Retry later.',
    },
    tests: ['test/e2e/export/permits.long.e2e-spec.ts'],
  },
  /** Few wait, because they count as requests in progress of the account. */
  publicLinkReads: {
    resource: 'reads of public links',
    total: { setting: 'databasePoolSize', times: 1 / 2 },
    perAccount: 1,
    waiting: { total: 64, perAccount: 8, max: { setting: 'databaseAcquireTimeoutMs' } },
    messages: {
      full: 'Too many public links are being read. Retry later.',
      accountFull: 'Too many readers use the public links of this account. Retry later.',
    },
    accountNote: 'for all links of an account',
    tests: ['test/e2e/views/shared-limits.long.e2e-spec.ts'],
  },
  deliveryConnections: {
    resource: 'connections of the main pool for deliveries',
    total: { setting: 'databasePoolSize', times: 1 / 5 },
    perAccount: 'all',
    tests: ['test/e2e/webhooks/senders.long.e2e-spec.ts'],
  },
  webhookTests: {
    resource: 'test events',
    total: 8,
    perAccount: 2,
    rate: {
      policy: 'webhook-tests',
      setting: 'webhookTestLimit',
      windowSeconds: 60,
      tooMany: 'Too many test events of this account. Retry later.',
    },
    messages: {
      full: 'Too many test events are being sent. Retry later.',
      accountFull: 'Too many test events of this account are being sent. Retry later.',
    },
    tests: ['test/e2e/webhooks/attacks.long.e2e-spec.ts'],
  },
  connectionTests: {
    resource: 'tests of destinations',
    total: 8,
    perAccount: 2,
    waiting: { total: 64, perAccount: 2, max: { setting: 'connectionTestTimeoutSeconds' } },
    rate: {
      policy: 'connection-tests',
      setting: 'connectionTestLimit',
      windowSeconds: 60,
      tooMany: 'Too many tests of this account. Retry later.',
    },
    messages: {
      full: 'Too many destinations are being tested. Retry later.',
      accountFull: 'Too many destinations of this account are being tested. Retry later.',
    },
    tests: ['test/e2e/connections/test.long.e2e-spec.ts'],
  },
  importPreviews: {
    resource: 'previews',
    total: 8,
    perAccount: 2,
    waiting: { total: 64, perAccount: 2, max: { setting: 'connectionTestTimeoutSeconds' } },
    rate: {
      policy: 'import-previews',
      setting: 'connectionTestLimit',
      windowSeconds: 60,
      tooMany: 'Too many previews of this account. Retry later.',
    },
    messages: {
      full: 'Too many previews are running. Retry later.',
      accountFull: 'Too many previews of this account are running. Retry later.',
    },
    tests: ['test/e2e/connections/scheduled-imports-api.e2e-spec.ts'],
  },
  /** Includes sign-ins that wait for the check of their password. */
  signIns: {
    resource: 'sign-ins in progress',
    total: 64,
    messages: {
      full: 'Too many sign-ins are in progress. Retry later.',
      accountFull: 'Too many sign-ins from this address are in progress. Retry later.',
    },
    accountNote: 'a client address counts as an account',
    tests: ['test/e2e/console/sign-in-limits.long.e2e-spec.ts'],
  },
  providerRedirects: {
    resource: 'sign-ins that wait for the metadata of a provider',
    total: 16,
    perAccount: 4,
    messages: {
      full: 'Too many sign-ins are beginning. Retry later.',
      accountFull: 'Too many sign-ins from this address are beginning. Retry later.',
    },
    accountNote: 'a client address counts as an account',
    tests: ['test/e2e/console/provider-limits.e2e-spec.ts'],
  },
  /** The same reads, so that no account with slow providers takes all permits from many addresses. */
  providerReads: {
    resource: 'metadata of providers being read for sign-ins',
    total: 16,
    perAccount: 4,
    messages: {
      full: 'Too many sign-ins are beginning. Retry later.',
      accountFull: 'Too many sign-ins to this account are beginning. Retry later.',
    },
    tests: ['test/e2e/console/provider-limits.e2e-spec.ts'],
  },
  providerSignIns: {
    resource: 'sign-ins that wait for a provider',
    total: 16,
    perAccount: 4,
    waiting: { total: 200, max: 10_000 },
    messages: {
      full: 'Too many sign-ins are waiting for providers. Retry later.',
      accountFull: 'Too many sign-ins to this account are waiting for a provider. Retry later.',
    },
    tests: ['test/e2e/console/provider-limits.e2e-spec.ts'],
  },
  /** Apart from other sign-ins: strangers can send responses. */
  samlResponses: {
    resource: 'SAML forms that are being checked',
    total: 8,
    perAccount: 2,
    waiting: { total: 200, max: 10_000 },
    messages: {
      full: 'Too many sign-ins are being checked. Retry later.',
      accountFull: 'Too many sign-ins to this account are being checked. Retry later.',
    },
    tests: ['test/e2e/console/saml-limits.e2e-spec.ts'],
  },
  samlMetadata: {
    resource: 'metadata of SAML providers being read for owners',
    total: 4,
    perAccount: 1,
    rate: {
      policy: 'saml-metadata',
      setting: 'connectionTestLimit',
      windowSeconds: 60,
      tooMany: 'Too many metadata of providers were read for this account. Retry later.',
    },
    messages: {
      full: 'Too many metadata of providers are being read. Retry later.',
      accountFull: 'Metadata of a provider are being read for this account. Retry later.',
    },
    tests: ['test/e2e/console/saml-limits.e2e-spec.ts'],
  },
  providerLogouts: {
    resource: 'logouts at providers that are being checked',
    total: 16,
    perAccount: 4,
    waiting: { total: 200, max: 10_000 },
    messages: {
      full: 'Too many logouts are being checked. Retry later.',
      accountFull: 'Too many logouts of this account are being checked. Retry later.',
    },
    tests: ['test/e2e/console/provider-logouts.e2e-spec.ts'],
  },
  clientDocuments: {
    resource: 'metadata documents of applications being read',
    total: 8,
    perAccount: 2,
    rate: {
      policy: 'client-documents',
      setting: 'connectionTestLimit',
      windowSeconds: 60,
      tooMany: 'Too many applications of this account were identified. Retry later.',
    },
    messages: {
      full: 'Too many applications are being identified. Retry later.',
      accountFull: 'Too many applications of this account are being identified. Retry later.',
    },
    tests: ['test/e2e/oauth/documents.e2e-spec.ts', 'test/e2e/oauth/registration.e2e-spec.ts'],
  },
  /**
   * A check takes 128 MiB and one of the four threads of Node.js for half a second. One account may use
   * both permits: they are soon free again.
   */
  passwordChecks: {
    resource: 'passwords being checked',
    total: 2,
    perAccount: 'all',
    waiting: { total: 100, max: 30_000 },
    messages: {
      full: 'Too many sign-ins are in progress. Retry later.',
      accountFull: 'Too many concurrent sign-ins. Retry later.',
    },
    accountNote: 'at sign-in, a client address counts as an account',
    tests: ['test/e2e/console/sign-in-limits.long.e2e-spec.ts'],
  },
} as const satisfies Record<string, Limit>;
