import openapi from '../../../../docs/openapi.json';
import {
  changedSettings,
  EVENTS,
  filterText,
  nameOf,
  NEW_WEBHOOK,
  outcomeOf,
  problemOf,
  readable,
  readFilter,
  type Delivery,
  type Webhook,
} from './webhook';

const WEBHOOK: Webhook = {
  ...NEW_WEBHOOK,
  id: 'w',
  url: 'https://hooks.example/datagrid',
  status: 'active',
  disabledReason: null,
  lastSuccessAt: null,
  lastErrorAt: null,
  lastError: null,
  consecutiveFailures: 0,
  oldestUndeliveredAt: null,
  createdAt: '2026-11-21T09:30:00.000Z',
};

const DELIVERY: Delivery = {
  id: 'd',
  messageId: 'msg_1',
  type: 'webhook.test',
  datagridId: null,
  revision: null,
  attempt: 1,
  at: '2026-11-21T09:30:00.000Z',
  durationMs: 2,
  status: 204,
  error: null,
  request: '',
  response: '',
};

describe('a webhook in the console', () => {
  it('can subscribe to all types of events of the service', () => {
    const { events } = openapi.components.schemas.CreateWebhook.properties;
    expect(EVENTS.map(({ type }) => type)).toEqual(events.items.enum);
  });

  it('is named by its URL without the scheme', () => {
    expect(nameOf(WEBHOOK)).toBe('hooks.example/datagrid');
  });

  it('sends only the settings that the user changed', () => {
    expect(changedSettings(WEBHOOK, { ...WEBHOOK, events: [...WEBHOOK.events] })).toEqual({});
    const after = { ...WEBHOOK, payload: 'thin', datagridIds: ['a'] } as const;
    expect(changedSettings(WEBHOOK, after)).toEqual({ payload: 'thin', datagridIds: ['a'] });
  });

  it('says what is wrong, and why it is disabled', () => {
    expect(problemOf(WEBHOOK)).toBeNull();
    const failing = { ...WEBHOOK, status: 'failing', lastError: 'The status was 500.' } as const;
    expect(problemOf({ ...failing, consecutiveFailures: 3 })).toMatch(
      /^A delivery failed 3 times: The status was 500\./,
    );
    const disabled = { ...WEBHOOK, status: 'disabled' } as const;
    expect(problemOf({ ...disabled, disabledReason: 'gone' })).toContain('status 410');
    expect(problemOf({ ...disabled, disabledReason: 'filter' })).toContain('Edit the filter');
    expect(problemOf({ ...disabled, disabledReason: 'user' })).toContain('A user disabled it');
    expect(problemOf({ ...disabled, disabledReason: 'operator' })).toContain('An operator of');
  });
});

describe('the filter of a webhook in the console', () => {
  it('is edited as JSON, and removed with its text', () => {
    const filter = { state: 'paid', $or: [{ n: { $gt: 1 } }] };
    expect(readFilter(filterText(filter))).toEqual(filter);
    expect(filterText(filter)).toContain('\n  "state": "paid"');
    expect([filterText(null), readFilter(''), readFilter(' \n')]).toEqual(['', null, null]);
  });

  it.each(['{', '[]', '1', 'null', '"{}"', '{"a":1}}'])('is no JSON object if it is %s', (text) => {
    expect(readFilter(text)).toBeUndefined();
  });

  it('is sent if it has changed', () => {
    const before = { ...WEBHOOK, filter: { n: 1 } };
    expect(changedSettings(before, { ...before, filter: { n: 1 } })).toEqual({});
    expect(changedSettings(before, { ...before, filter: null })).toEqual({ filter: null });
  });
});

describe('a delivery in the console', () => {
  it('shows the status of the response, or that there was none', () => {
    expect(outcomeOf(DELIVERY)).toEqual({ label: '204', tone: 'good' });
    expect(outcomeOf({ ...DELIVERY, status: 500, error: 'x' })).toEqual({
      label: '500',
      tone: 'bad',
    });
    expect(outcomeOf({ ...DELIVERY, status: null, error: 'x' })).toEqual({
      label: 'No response',
      tone: 'bad',
    });
  });

  it('shows complete JSON with line breaks, and a cut body as it is', () => {
    expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(readable('{"a":[1,2')).toBe('{"a":[1,2');
  });
});
