import { markdownTable } from '../../common/text/markdown-table';
import { CONSTANTS, settingName } from '../config/constants';
import { type Amount, HALF, type Limit, MIN_RESERVING, type Share, shareOf } from './limit';
import { LIMITS } from './limits';

/** Page with the tables of limits. */
export const LIMITS_PAGE = 'docs/limits.md';

/** Cells of a row, separated by ` | `, of a limit that another part of the service enforces. */
type TextRow = string;

interface LimitTable {
  readonly title: string;
  readonly text?: string;
  /** Whose share the third column shows. The default is an account. */
  readonly sharer?: string;
  readonly rows: readonly (Limit | TextRow)[];
}

/** All limits of shared resources, by subject. */
export const LIMIT_TABLES: readonly LimitTable[] = [
  {
    title: 'Requests',
    rows: [
      'requests in a window | – | `RATE_LIMIT_REQUESTS` a key, `ACCOUNT_RATE_LIMIT_REQUESTS` all keys | 429 | `test/e2e/contract/limits-accounts.long.e2e-spec.ts`',
      LIMITS.changeReaders,
      LIMITS.changeStreams,
      'datagrids that the poll for waiting clients reads | – | 20,000 in a run | its workspaces take turns | `src/changes/workspace/workspace-poll.spec.ts`',
      'requests in progress | `MAX_CONCURRENT_REQUESTS` | half, less under load | 503, 429 | `test/e2e/load/shedding.long.e2e-spec.ts`',
      'client connections | `MAX_CONNECTIONS` and the limit on open files | half, rounded up, for one client address | an idle connection is closed, or the new one is rejected | `test/e2e/load/open-connections.long.e2e-spec.ts`',
      'bytes of large bodies being received | `MAX_BUFFERED_BYTES` | half | 503, 429 | `test/e2e/load/slow-memory.long.e2e-spec.ts`',
      'bytes of large responses being read | `MAX_BUFFERED_BYTES` | half | 503, 429, before anything is committed | `test/e2e/load/slow-memory.long.e2e-spec.ts`',
      LIMITS.largeBodies,
      'values in one body, members of one object | – | 1,000,000 and 100,000 | 413, with detail `too_many` | `test/e2e/load/large-bodies.long.e2e-spec.ts`',
      'errors in one partial batch | – | at most 1,000, then one in each operation | checking stops | `src/rows/batch/prepared-operation.spec.ts`',
      'errors in one body | – | checks at most 1,000, reports 100 | checking stops | `test/e2e/contract/errors-size.e2e-spec.ts`',
      'failed authentication in a minute | – | `AUTH_FAILURE_LIMIT` for one client address | 429 | `test/e2e/contract/limits-addresses.long.e2e-spec.ts`',
      'requests without a caller in a window | – | `PUBLIC_RATE_LIMIT_REQUESTS` for one client address, 10 times as many for pages and files | 429 | `test/e2e/contract/limits-public.long.e2e-spec.ts`',
      'requests without a caller in progress | half of `MAX_CONCURRENT_REQUESTS`, less under load | half of that half for one client address | 503, 429 | `test/e2e/contract/limits-public.long.e2e-spec.ts`',
      'bytes, tags with attributes, depth of a SAML form | – | 256 KiB, 2,500, 50 | the sign-in fails | `test/e2e/console/saml-responses.e2e-spec.ts`',
      'the same of the metadata of a SAML provider | – | 256 KiB, 10,000, 50 | 409 | `src/auth/provider/saml-metadata.spec.ts`',
      'namespaces around the signatures of a SAML form, characters of a list of prefixes, and elements of a signature | – | 100, 500, 100 | the sign-in fails | `test/e2e/console/saml-limits.e2e-spec.ts`',
      'cost of the API description and `/docs` | printed once, compressed once in each encoding | – | – | `src/platform/http/file-response.spec.ts`',
      'responses of 1 MiB or more being compressed | 2 | – | the response is sent uncompressed | `src/platform/http/compress.spec.ts`',
      'request counters of each kind | 100,000 | – | those idle longest are discarded | `src/platform/throttling/rate-counter.long.spec.ts`',
    ],
  },
  {
    title: 'Database',
    rows: [
      LIMITS.mainPool,
      LIMITS.queries,
      LIMITS.scans,
      'size of columnar copies | `MAX_COLUMNAR_BYTES`, and at most half of the free disk | all of it until another account needs room | the account with the most bytes loses its least recently used copy; PostgreSQL scans | `test/e2e/columnar/lifecycle.long.e2e-spec.ts`',
      LIMITS.sqlQueries,
      'processes of SQL statements | 4 | two, each for one workspace and set of datagrids | the one that was used the least ends; its copies are loaded again | `test/e2e/sql/sql-limits.long.e2e-spec.ts`',
      'time of an SQL statement | – | `QUERY_TIMEOUT_MS`; as a file, five minutes | 400 `query_too_expensive` | `test/e2e/sql/sql-limits.long.e2e-spec.ts`',
      'memory of an SQL statement | half of `MAX_DUCKDB_MEMORY_BYTES` and 200 MiB, on Linux, for each process | – | 400 `query_too_expensive` | `test/e2e/sql/sql-limits.long.e2e-spec.ts`',
      'rows that a query writes to a columnar copy | – | 2,000 rows, 8 MiB | PostgreSQL scans | `test/e2e/columnar/lifecycle.long.e2e-spec.ts`',
      'time of one filtered or sorted read | – | `QUERY_TIMEOUT_MS` | 400 `query_too_expensive` | `test/e2e/rows/text-search.e2e-spec.ts`',
      'queries after one that took over 500 ms | – | the share of scans, for a minute | waits, then 429 | `test/e2e/rows/query-share.long.e2e-spec.ts`',
      'queries by index that share a connection | – | five, of a hundred rows together; none for 10 s after they took over 100 ms together | the others get connections of their own | `test/e2e/database/query-pool.long.e2e-spec.ts`',
      'pages of large rows | as scans | as scans; read no further than `MAX_PAGE_BYTES` | 400 | `test/e2e/rows/large-rows.long.e2e-spec.ts`',
      'conditions of one query | – | a cost of 200: `$contains` on text and `q` cost 10, `$endsWith` 3, other conditions 1, `$in`, `$nin` and `$containsAny` 1 more for each 100 values | 400 `query_too_expensive` | `test/e2e/rows/text-search.e2e-spec.ts`',
      'length of a searched text | – | 256 characters | 400 `out_of_range` | `test/e2e/rows/text-search.e2e-spec.ts`',
      'rows read and returned by a batch | – | `MAX_BATCH_BYTES` | 413, before anything is committed | `test/e2e/rows/response-size.e2e-spec.ts`',
      'links that one request writes | – | 100,000 | 400 `too_many`, before anything is committed | `test/e2e/links/link-values.e2e-spec.ts`',
      'decompressions of a row by a write | – | a few, whatever the number of its indexed and unique columns | – | `test/e2e/indexes/large-row.long.e2e-spec.ts`',
      'bytes of one page of rows | – | `MAX_PAGE_BYTES` | 400 | `test/e2e/rows/list-size.long.e2e-spec.ts`',
      'column metadata of one datagrid | – | 1 MiB; a page of datagrids 8 MiB | 400; for a page, 400 `too_large` on `limit` | `test/e2e/datagrids/column-metadata.e2e-spec.ts`',
      LIMITS.largeColumnReads,
      LIMITS.hugeColumnReads,
      'column metadata in memory | 32 MiB | 16 MiB | the entry unused longest is discarded | `src/platform/fairness/account-cache.spec.ts`',
      LIMITS.columnScans,
      'rows of one conversion of a column | – | 500,000 of one datagrid, for 60 seconds; shares the limit above | 409 before it runs, 400 | `test/e2e/columns/convert.e2e-spec.ts`',
      'values in memory during one such check | – | 1 MiB, measured decompressed, plus one value | the rest is read later | `test/e2e/columns/large-values.long.e2e-spec.ts`',
      'stored responses of `Idempotency-Key` | – | `MAX_IDEMPOTENCY_BYTES`; for one, 2 MiB or two rows | 429; 413 before anything is committed | `test/e2e/contract/idempotency-size.e2e-spec.ts`',
      'steps of background jobs | 1 of indexes and cleanup, 1 of purges | 1 of each kind in a round, sized to take less than 200 ms | waits for the next round | `test/e2e/indexes/turns.long.e2e-spec.ts`',
    ],
  },
  {
    title: 'Imports and exports',
    rows: [
      LIMITS.imports,
      LIMITS.exports,
      LIMITS.unsentExports,
      'bytes on the disk for slow readers | `MAX_SPOOL_BYTES` | half | the export is aborted | `test/e2e/export/permits.long.e2e-spec.ts`',
      'time spent waiting for a slow client | – | 30 s, restored at `MIN_STREAM_BYTES_PER_SECOND` | 408, or the export is aborted | `src/platform/fairness/stream-pace.spec.ts`',
      'database time of one filtered or sorted export | – | 300 s, plus 1 s for each MB | the export is aborted | `test/e2e/export/broken-off.long.e2e-spec.ts`',
      'time of one export | – | `EXPORT_TIMEOUT_SECONDS` | the export is aborted | `test/e2e/export/broken-off.long.e2e-spec.ts`',
      'cells or members in one line | – | 4 × `MAX_COLUMNS` | the line is rejected unread, 400 if it is the header | `test/e2e/import/many-cells.long.e2e-spec.ts`',
      'JSON values in one line of a file | – | 100,000 | the line is rejected | `test/e2e/import/many-cells.long.e2e-spec.ts`',
      'errors in one line, in one header | – | at most 100 and 1,000 | checking stops | `src/imports/check/row-rules.spec.ts`',
      'lines that are longer than 64 KiB | one slice of 3 ms in a turn of the event loop | accounts take turns | reading waits | `test/fairness/import-headers.fairness-spec.ts`',
      'streams whose caller lost the permission | – | checked every 3 s | the stream ends | `test/e2e/streams/rights.long.e2e-spec.ts`',
      'stored reports of imports | – | 256 KiB of errors each; the last 1,000 of a datagrid, and for 24 hours up to 10,000 more with an `Idempotency-Key`; all for 7 days | the oldest are deleted | `test/e2e/import/leftovers.long.e2e-spec.ts`',
    ],
  },
  {
    title: 'Views',
    sharer: 'datagrid',
    rows: [
      'views | – | 100 | 409 `conflict` | `test/e2e/views/views.e2e-spec.ts`',
      'the filter of a view | – | 16 kB | 400 | `test/e2e/views/views.e2e-spec.ts`',
      'public links | – | 1 for each view | a new link replaces it | `test/e2e/views/links.e2e-spec.ts`',
      LIMITS.publicLinkReads,
      'requests of readers | – | `RATE_LIMIT_REQUESTS` for a link, and half of `ACCOUNT_RATE_LIMIT_REQUESTS` for all links of an account | 429 | `test/e2e/views/shared-limits.long.e2e-spec.ts`',
    ],
  },
  {
    title: 'SQL',
    sharer: 'workspace',
    rows: [
      'saved queries | – | 100 | 409 `conflict` | `test/e2e/sql/sql-queries.e2e-spec.ts`',
      'size of a Parquet file | – | a sixteenth of `MAX_COLUMNAR_BYTES` | 400 `query_too_expensive` | `test/e2e/sql/parquet.long.e2e-spec.ts`',
    ],
  },
  {
    title: 'Webhooks',
    rows: [
      'webhooks | – | `MAX_WEBHOOKS_PER_ACCOUNT` | 403 `quota_exceeded` | `test/e2e/webhooks/api.e2e-spec.ts`',
      'datagrids of all webhooks | – | `MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT`, except datagrids that are created later | 403 `quota_exceeded` | `test/e2e/webhooks/api.e2e-spec.ts`',
      'lanes (a webhook and a datagrid) that a poll for deliveries reads | none that has nothing to deliver | 4 of each webhook | they wait; accounts take turns | `test/e2e/webhooks/many-lanes.long.e2e-spec.ts`',
      'deliveries in progress | `MAX_CONCURRENT_DELIVERIES` | half; 4 for one webhook | they wait; accounts take turns | `test/e2e/webhooks/senders.long.e2e-spec.ts`',
      'deliveries of webhooks that fail or are new | a quarter of that | half of the quarter; one for one webhook | they wait; accounts take turns | `test/e2e/webhooks/senders.long.e2e-spec.ts`',
      'deliveries per second | – | `MAX_DELIVERIES_PER_SECOND` | they wait, and are gathered | `src/webhooks/delivery/delivery-rate.spec.ts`',
      LIMITS.deliveryConnections,
      'time of a delivery | – | 10 s | it fails, and is retried | `src/platform/outbound/outbound-client.spec.ts`',
      'bytes of a response of an endpoint | – | 64 KiB read, 1 KiB stored | the connection is closed | `src/platform/outbound/outbound-client.spec.ts`',
      'rows in one event | – | 100, and 256 KiB | only their ids | `test/e2e/webhooks/delivery.e2e-spec.ts`',
      'cost and length of a filter | – | 200 as for a query, and 64 KiB | 400 | `test/e2e/webhooks/filter.e2e-spec.ts`',
      "time of a filter for the rows of some changes | the pool for queries | `QUERY_TIMEOUT_MS`, and the account's share of the pool | it is retried like a delivery that fails | `test/e2e/webhooks/filter.e2e-spec.ts`",
      'change log kept for webhooks | – | `MAX_CHANGE_RETENTION_DAYS` | the oldest entries are deleted; `changes.gap` | `test/e2e/webhooks/lost-changes.long.e2e-spec.ts`',
      'ids in one event | – | 1,000 | several events | `test/e2e/webhooks/bulk.long.e2e-spec.ts`',
      'logged attempts of a webhook | – | 10,000, for `WEBHOOK_LOG_RETENTION_DAYS` | the oldest are deleted | `test/e2e/webhooks/senders.long.e2e-spec.ts`',
      LIMITS.webhookTests,
    ],
  },
  {
    title: 'Connections',
    text: 'Runs that have not ended after 20 seconds are slow ([Fair use](connections.md#fair-use)).',
    rows: [
      'connections | – | `MAX_CONNECTIONS_PER_ACCOUNT` | 403 `quota_exceeded` | `test/e2e/connections/api.e2e-spec.ts`',
      'tables of connections | – | `MAX_CONNECTION_TABLES_PER_ACCOUNT` | 403 `quota_exceeded` | `test/e2e/connections/api.e2e-spec.ts`',
      'syncs in progress | `MAX_CONCURRENT_SYNCS`, and three times as many slow ones | half of `MAX_CONCURRENT_SYNCS` | they wait; accounts take turns | `test/e2e/connections/failures.long.e2e-spec.ts`',
      'time of a slow sync while another account waits for its place | 5 minutes | – | it ends, and is retried | `test/e2e/connections/slow-destinations.long.e2e-spec.ts`',
      'time in which a destination accepts no rows | 60 seconds | – | the run fails | `test/e2e/connections/slow-destinations.long.e2e-spec.ts`',
      'DuckDB and Parquet files, and the temporary files of syncs | – | `MAX_CONNECTION_FILES_BYTES` each | the run fails | `test/connections/duckdb-destination.long.spec.ts`',
      LIMITS.connectionTests,
      'time of a test | 15 s | – | the test fails | `test/connections/test-deadline.long.spec.ts`',
      'stored runs | – | for `CONNECTION_RUN_RETENTION_DAYS` | they are deleted | `test/e2e/connections/tables.e2e-spec.ts`',
    ],
  },
  {
    title: 'Scheduled imports',
    rows: [
      'scheduled imports | – | `MAX_SCHEDULED_IMPORTS_PER_ACCOUNT` | 403 `quota_exceeded` | `test/e2e/connections/scheduled-imports-api.e2e-spec.ts`',
      'runs in progress | `MAX_CONCURRENT_SCHEDULED_IMPORTS`, and three times as many slow ones | half | they wait; accounts take turns | `test/e2e/connections/scheduled-imports-failures.long.e2e-spec.ts`',
      'rows of one run | – | `MAX_SCHEDULED_IMPORT_ROWS` | the run fails | `test/e2e/connections/scheduled-imports-failures.long.e2e-spec.ts`',
      'size of the values of a row | – | twice `MAX_ROW_BYTES` | the run fails | `test/connections/postgresql-source.spec.ts`',
      'time of a query | – | `SCHEDULED_IMPORT_TIMEOUT_SECONDS` | the run fails, and is repeated | `test/e2e/connections/scheduled-imports.long.e2e-spec.ts`',
      'requested runs of one import | – | 6 in 60 s | 429 | `test/e2e/connections/scheduled-imports-api.e2e-spec.ts`',
      'memory of a query of DuckDB | `MAX_DUCKDB_MEMORY_BYTES` and 200 MiB, on Linux | – | the run fails | `test/connections/duckdb-source.long.spec.ts`',
      'stored runs of one import | – | 1,000, for `CONNECTION_RUN_RETENTION_DAYS` | the oldest are deleted | `test/e2e/connections/scheduled-imports.long.e2e-spec.ts`',
      LIMITS.importPreviews,
    ],
  },
  {
    title: 'History of rows',
    rows: [
      'stored versions of rows | – | `MAX_HISTORY_VERSIONS` of one datagrid, for `HISTORY_RETENTION_DAYS` | the oldest are deleted | `test/e2e/history/retention.long.e2e-spec.ts`',
      'stored values on one page of a history | – | 64 KiB, as stored | the next page has the others | `test/e2e/history/reading.e2e-spec.ts`',
      'rows of one undo | – | 100,000 | 409 `conflict` | `test/e2e/history/undo.e2e-spec.ts`',
      'values that one undo writes | – | 256 MiB | 409 `conflict` | `test/e2e/history/undo-size.e2e-spec.ts`',
    ],
  },
  {
    title: 'Accounts and sign-in',
    rows: [
      'active API keys | – | `MAX_KEYS_PER_USER` | 403 `quota_exceeded` | `test/e2e/console/bounds.e2e-spec.ts`',
      'revoked keys that are listed | – | 100 of a user | the oldest are deleted | `test/e2e/console/bounds.e2e-spec.ts`',
      'users, and invites of each | – | `MAX_USERS_PER_ACCOUNT`, and one | 403 `quota_exceeded`; replaced | `test/e2e/console/users.e2e-spec.ts`',
      'SCIM tokens | – | 5 | 403 `quota_exceeded` | `test/e2e/scim/protocol.e2e-spec.ts`',
      'attributes of a user of a directory | – | 16 KiB, 50 values of each | 400 `invalidValue` | `test/e2e/scim/users.e2e-spec.ts`',
      'operations of a SCIM `PATCH`, attributes that they name, and characters of their paths | – | 100, 500 and 20,000 | 400 `tooMany` | `src/scim/scim-patch.spec.ts`',
      'names in an object of SCIM | – | 200 | 400 `invalidValue` | `test/e2e/scim/directory.e2e-spec.ts`',
      'groups of a directory, and members of each | – | 1,000 and 10,000 | 403, 400 `invalidValue` | `test/e2e/scim/tester.long.e2e-spec.ts`',
      'workspaces that groups of a directory give roles in | – | 100, and 50 for one group | 403 `quota_exceeded` | `test/e2e/scim/groups.e2e-spec.ts`',
      'SCIM filter | – | 2,000 characters, 50 conditions, 10 levels | 400 `invalidFilter` | `test/e2e/scim/protocol.e2e-spec.ts`',
      'sessions | – | 50 of a user | the session unused longest is ended | `test/e2e/console/bounds.e2e-spec.ts`',
      'audit events | – | `MAX_AUDIT_EVENTS` | the oldest are deleted | `test/e2e/console/bounds.e2e-spec.ts`',
      'logged requests | 10,000 that are not written | 500 that are not written, and `MAX_REQUEST_LOG_ENTRIES` | left out and counted; the oldest are deleted | `test/e2e/console/requests.e2e-spec.ts`',
      LIMITS.signIns,
      LIMITS.providerRedirects,
      LIMITS.providerReads,
      LIMITS.providerSignIns,
      LIMITS.samlResponses,
      LIMITS.samlMetadata,
      LIMITS.providerLogouts,
      LIMITS.clientDocuments,
      'registrations of applications in an hour | – | 20 for one client address | 429 | `test/e2e/oauth/registration.e2e-spec.ts`',
      'refreshes of the tokens of an application in a minute | – | 10 for one grant of a user | 429 | `test/e2e/oauth/tokens.e2e-spec.ts`',
      'registered applications without a grant | 10,000 | – | deleted after 30 days, or those unused longest before | `test/e2e/oauth/registration.e2e-spec.ts`',
      'authorized applications, registered or not | – | 1,000; 50 for one user | 403 `quota_exceeded` | `test/e2e/oauth/consent.e2e-spec.ts`',
      LIMITS.passwordChecks,
      'wrong passwords and codes in 5 minutes | – | `SIGN_IN_LIMIT` for one email address, or one user who is signed in, `SIGN_IN_ADDRESS_LIMIT` for one client address | 429 | `test/e2e/console/sign-in-limits.long.e2e-spec.ts`',
      'workspaces, datagrids, rows | – | `QUOTA_WORKSPACES`, `QUOTA_DATAGRIDS`, `QUOTA_ROWS` | 403 `quota_exceeded` | `test/e2e/quota/rows.e2e-spec.ts`',
    ],
  },
];

/** Returns the name of a setting, or the value of a constant, with its unit if it is a time. */
function valueText(property: string): string {
  const constants: Readonly<Partial<Record<string, number | number[]>>> = CONSTANTS;
  const value = constants[property];
  if (value === undefined) return `\`${settingName(property)}\``;
  return property.endsWith('Seconds') ? `${String(value)} s` : String(value);
}

const PARTS: ReadonlyMap<number, string> = new Map([
  [4 / 5, 'four fifths'],
  [1 / 2, 'half'],
  [1 / 5, 'a fifth'],
  [1 / 10, 'a tenth'],
]);

/** @throws Error if the part has no name in `PARTS`. */
function partName(part: number): string {
  const name = PARTS.get(part);
  if (name === undefined) throw new Error(`add a name for the part ${String(part)}`);
  return name;
}

function amountText(amount: Amount<string>): string {
  if (typeof amount === 'number') return String(amount);
  const { setting, times = 1, reservesOne = false } = amount;
  const name = valueText(setting);
  if (reservesOne) return `one less than ${name}, or all if it is below ${String(MIN_RESERVING)}`;
  if (times === 1) return name;
  return times > 1 ? `${String(times)} × ${name}` : `${partName(times)} of ${name}`;
}

function shareText(share: Share, total: Amount<string>): string {
  if (typeof total === 'number') return String(shareOf(share, { whole: total, total }));
  if (typeof share === 'number') return String(share);
  if (share === 'all') return 'all; accounts take turns';
  const least = share.atLeast === undefined ? '' : `, at least ${String(share.atLeast)}`;
  return `${partName(share.part)}${least}`;
}

function queueShareText({ total, perAccount }: NonNullable<Limit['waiting']>): string {
  if (perAccount !== undefined) return String(perAccount);
  return `${shareText(HALF, total)}${typeof total === 'number' ? '' : ' of those'}`;
}

function accountText(limit: Limit): string {
  const { total, perAccount = HALF, perActiveAccount, cooldown, waiting, rate } = limit;
  const queue = waiting ? `, and ${queueShareText(waiting)} that wait` : '';
  const parts = [`${shareText(perAccount, total)}${queue}`];
  if (perActiveAccount !== undefined) {
    const pauses = cooldown ? ', with cooldowns,' : '';
    parts.push(`${shareText(perActiveAccount, total)}${pauses} while other accounts are active`);
  }
  if (rate) parts.push(`${valueText(rate.setting)} in ${String(rate.windowSeconds)} s`);
  if (limit.accountNote !== undefined) parts.push(limit.accountNote);
  return parts.join('; ');
}

function beyondText({ waiting, messages, beyondNote }: Limit): string {
  if (!messages) return 'they wait';
  const max = waiting?.max;
  const wait = typeof max === 'number' ? `${String(max / 1_000)} s` : max && valueText(max.setting);
  const text = wait === undefined ? '503, 429' : `waits up to ${wait}, then 503, 429`;
  return beyondNote === undefined ? text : `${text}; ${beyondNote}`;
}

function cellsOf(row: Limit | TextRow): string[] {
  if (typeof row === 'string') return row.split(' | ');
  const { resource, total, waiting, tests } = row;
  const queue = waiting ? `, and ${amountText(waiting.total)} that wait` : '';
  return [
    resource,
    `${amountText(total)}${queue}`,
    accountText(row),
    beyondText(row),
    tests.map((path) => `\`${path}\``).join(', '),
  ];
}

function tableText({ title, text, sharer = 'account', rows }: LimitTable): string {
  const header = ['resource', 'one instance', `one ${sharer}`, 'beyond', 'test'];
  const table = markdownTable([header, ...rows.map(cellsOf)]);
  return [`### ${title}`, ...(text === undefined ? [] : [text]), table].join('\n\n');
}

const TABLES =
  /(<!-- limits: written by `npm run settings` -->\n\n).*(\n\n<!-- end of limits -->)/s;

/**
 * Replaces the tables of limits in the text of `LIMITS_PAGE`.
 * @throws Error if the text lacks the comments between which the tables stand.
 */
export function withLimitTables(markdown: string): string {
  if (!TABLES.test(markdown)) throw new Error('no place for the tables of limits');
  const tables = LIMIT_TABLES.map(tableText).join('\n\n');
  return markdown.replace(TABLES, (_, start: string, end: string) => `${start}${tables}${end}`);
}
