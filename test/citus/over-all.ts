/**
 * Statements that may read all datagrids, with the reason. They run on every node. Most of them run in
 * background jobs.
 */
export const OVER_ALL: readonly (readonly [RegExp, string])[] = [
  [/^index-build-pending$/, 'a background job looks for indexes to build'],
  [/^leftovers-list$/, 'a background job looks for entries that columns no longer need'],
  [/^webhook-lane-(due-of|missed)$/, 'a background job looks for changes to deliver'],
  [/^webhook-state-lanes$/, 'a background job counts lanes for metrics'],
  [/^sync-state-tables$/, 'a background job counts tables of connections for metrics'],
  [/^webhook-undelivered$/, 'purges a workspace, whose webhooks are deleted with it'],
  [/^verify-orphans-/, 'admin verify looks for rows without a datagrid'],
  [
    /^webhook-lanes-add-at-head$/,
    'creates a webhook at the revisions of the datagrids of a workspace',
  ],
  [
    /^workspace-feed-(read|states)$/,
    'compares all datagrids of a workspace with what a reader knows',
  ],
  [/^connection-table-due$/, 'a background job looks for tables to sync'],
  [/^connection-table-(find|list)$/, 'reads the datagrids of tables of the coordinator'],
  [/^webhook-log-positions-at$/, 'replays the changes of the datagrids of a webhook'],
  [
    /^computed-column-sources$/,
    'loads the columns of a datagrid with those of other datagrids that its computed columns read',
  ],
  [/^datagrid-list$/, 'lists the datagrids of a workspace with their columns and counters'],
  [/-trim-expired$/, 'a background job looks for expired entries'],
  [/^quota-count-rows$/, 'counts the rows of an account; runs only if QUOTA_ROWS is set'],
];
