import { countOf } from './count-of';
import type { TextParts } from './words';

/** Texts of webhooks. */
export const webhooksText = {
  forbidden: 'Only admins and owners can manage webhooks.',
  statuses: { active: 'Active', failing: 'Failing', disabled: 'Disabled' },
  events: {
    'rows.created': 'Rows created',
    'rows.updated': 'Rows updated',
    'rows.deleted': 'Rows deleted',
    'columns.changed': 'Columns changed',
    'datagrid.deleted': 'Datagrid deleted',
    'datagrid.restored': 'Datagrid restored',
  },
  payloads: { full: 'Rows with their values', thin: 'Only the ids of the rows' },
  list: {
    title: 'Webhooks',
    label: 'Webhooks',
    create: 'New webhook',
    none: 'No webhook yet',
    noneHint:
      'A webhook sends the changes of this workspace’s datagrids to a URL of yours, within about a second. Events are signed, and repeated until your endpoint accepts them.',
    columns: { url: 'URL', status: 'Status', deliveries: 'Deliveries' },
    oldest: <Time>(at: Time): TextParts<Time> => ['Oldest undelivered change: ', at],
    last: <Time>(at: Time): TextParts<Time> => ['Last delivery ', at],
    nothing: 'Nothing delivered yet',
  },
  page: {
    title: 'Webhook',
    webhooks: 'Webhooks',
    test: 'Send a test',
    actions: 'Actions for this webhook',
    replay: 'Send events again',
    rotate: 'Rotate the secret',
    enable: 'Enable the webhook',
    notEnabled: 'The webhook was not enabled',
  },
  removal: {
    title: (name: string) => `Delete ${name}?`,
    message:
      'The webhook is deleted with its log of deliveries. Events that wait are not sent. This cannot be undone.',
    submit: 'Delete the webhook',
  },
  facts: {
    lastSuccess: 'Last delivered change',
    lastError: 'Last error',
    never: 'Never',
    oldest: 'Oldest undelivered change',
    none: 'None',
    url: 'URL',
    events: 'Events',
    allEvents: 'All',
    datagrids: 'Datagrids',
    allDatagrids: 'All of this workspace',
    filter: 'Filter',
    content: 'Content',
    created: 'Created',
  },
  problems: {
    disabled: 'This webhook is disabled',
    failing: 'Deliveries fail',
    reasons: {
      user: 'A user disabled it. Changes are kept for 7 days and sent once it is enabled again.',
      gone: 'The endpoint responded with the status 410, which means that it is gone. Correct the endpoint or the URL, and enable the webhook again.',
      failing:
        'Deliveries of an event failed for several days. Correct the endpoint, send a test, and enable the webhook again.',
      filter:
        'Its filter is not valid anymore, because a column was removed or changed. Changes are kept for 7 days. Edit the filter, and enable the webhook again: it continues where it stopped.',
      operator:
        'An operator of the service disabled it. Ask them why before you enable it again. Changes are kept for 7 days.',
    },
    failed: (times: number, error: string) =>
      `A delivery ${times === 1 ? 'failed' : `failed ${times} times`}: ${error} Events are repeated until the endpoint accepts them.`,
    unknown: 'unknown reason.',
  },
  deliveries: {
    title: 'Deliveries',
    columns: { status: 'Status', event: 'Event', duration: 'Duration', time: 'Time' },
    none: 'Nothing has been sent yet. Send a test, or change a row of a datagrid that the webhook watches.',
    earlier: 'Show earlier deliveries',
    noResponse: 'No response',
    attempt: (attempt: number) => `attempt ${attempt}`,
    duration: (ms: number) => `${ms.toLocaleString()} ms`,
    revision: (revision: number) => `revision ${revision.toLocaleString()}`,
    request: 'Request',
    response: 'Response',
    empty: 'Empty',
  },
  form: {
    createTitle: 'New webhook',
    created: 'Your new webhook',
    editTitle: (name: string) => `Edit ${name}`,
    create: 'Create the webhook',
    url: 'URL of your endpoint',
    urlExample: 'https://',
    urlHint:
      'HTTPS, on a public address. The operator allows others in WEBHOOK_ALLOWED_PRIVATE_RANGES.',
    description: 'Description',
    events: 'Events',
    filter: 'Filter',
    filterHint:
      'Only created and updated rows that match are sent. A JSON object as in queries of rows; empty for all rows.',
    filterExample: '{ "status": "paid", "amount": { "$gte": 10 } }',
    noFilter: 'Must be a JSON object.',
    content: 'Content of an event',
    enabled: 'Enabled',
    enabledHint:
      'While a webhook is disabled, changes wait. They are sent once it is enabled again, if this is no longer than 7 days ago.',
  },
  test: {
    title: (name: string) => `Test of ${name}`,
    failed: 'The test was not sent',
    accepted: (ms: number) => `The event was delivered after ${ms.toLocaleString()} ms.`,
    rejected: (ms: number) =>
      `The endpoint did not accept the event. This took ${ms.toLocaleString()} ms.`,
    again: 'Send again',
  },
  replay: {
    title: 'Send events again',
    hint: 'After an outage or a bug of your endpoint, send the changes again. The events are new: they have new ids, and contain the rows as they are now.',
    submit: 'Send again',
    nothing: 'Nothing has changed since then. No events are sent.',
    sent: (datagrids: number) => `Changes of ${countOf(datagrids, 'datagrid')} are sent again.`,
    since: 'Changes since',
    choices: {
      900: 'The last 15 minutes',
      3600: 'The last hour',
      86400: 'The last 24 hours',
      259200: 'The last 3 days',
      time: 'A time',
    },
    time: 'Time',
    timeHint: 'In your time zone.',
    datagrid: 'Datagrid',
    allDatagrids: 'All datagrids of the webhook',
  },
  secret: {
    once: 'The secret is shown only once',
    use: 'Your endpoint verifies the signatures of events with it. Store it in the settings of the server that receives them.',
    label: (name: string) => `Secret of ${name}`,
    copy: 'Copy secret',
    libraries: <Link>(link: (label: string) => Link): TextParts<Link> => [
      'Libraries for ',
      link('Standard Webhooks'),
      ' verify signatures in most languages.',
    ],
    stored: 'I have stored it',
  },
  rotation: {
    title: (name: string) => `Rotate the secret of ${name}?`,
    hint: 'You get a new secret. For 24 hours, events are signed with the new and the previous one. After that, the previous secret is no longer valid.',
    submit: 'Create a new secret',
    done: 'Your new secret',
    doneHint:
      'Replace the secret of your endpoint within 24 hours. Until then, events are signed with both secrets, so that no delivery fails.',
  },
};
