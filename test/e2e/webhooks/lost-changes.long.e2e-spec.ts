import { ChangeLogTrimService } from '../../../src/datagrids/change-log/change-log-trim.service';
import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import { RetentionService } from '../../../src/retention/retention.service';
import { LaneSetRepository } from '../../../src/webhooks/lane-set.repository';
import { WebhookResyncService } from '../../../src/webhooks/webhook-resync.service';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, type Received, WebhookReceiver } from '../../support/webhook-receiver';

/** A failed delivery is repeated only when a test says so. */
const SETTINGS = { ...LOOPBACK_ALLOWED, webhookRetrySeconds: [86_400] };

let app: TestApp;
let owner: Member;
let receiver: WebhookReceiver;
let workspaceId: string;
let datagrid: string;
let datagridId: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: SETTINGS });
});

beforeEach(async () => {
  owner = await app.newAccount();
  receiver = await WebhookReceiver.start();
  workspaceId = await newWorkspace(owner.api);
  datagrid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
  datagridId = datagrid.slice('/datagrids/'.length);
});

afterEach(async () => {
  await app.sql.query('DELETE FROM webhooks');
  await receiver.close();
});

afterAll(() => app.close());

/** Claims lanes now, and not with the next poll up to a second later. */
const poll = (): Promise<number> => app.nest.get(DeliveryService, { strict: false }).runOnce();

/** Returns the path of a new webhook. */
async function newHook(body: object = {}): Promise<string> {
  const route = `/workspaces/${workspaceId}/webhooks`;
  const { id } = dataOf(await owner.api.post(route, { url: receiver.url, ...body }), 201);
  // Without webhooks, the service does not hear of changes before its next poll.
  await poll();
  return `${route}/${String(id)}`;
}

async function addRows(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    dataOf(await owner.api.post(`${datagrid}/rows`, { values: { n } }), 201);
  }
}

/** Lets the endpoint fail, and waits until the webhook has stopped at its first event. */
async function stopAtNextEvent(hook: string): Promise<void> {
  receiver.respond = (response) => void response.writeHead(503).end();
  await addRows(1);
  await eventually(async () => dataOf(await owner.api.get(hook), 200).status === 'failing');
}

/** Lets the endpoint accept everything from now on, and returns the path of what it gets. */
async function goOn(hook: string): Promise<void> {
  receiver.respond = (response) => void response.writeHead(204).end();
  receiver.received.length = 0;
  dataOf(await owner.api.patch(hook, { url: receiver.url }), 200);
  await poll();
}

const summary = ({ body }: Received): unknown[] => [
  body.type,
  body.data.fromRevision,
  body.data.revision,
];

async function receives(...events: unknown[][]): Promise<void> {
  await eventually(() => receiver.received.length >= events.length);
  expect(receiver.received.map(summary)).toEqual(events);
}

describe('the change log of a webhook that makes no progress', () => {
  const age = async (revision: number, days: number): Promise<void> => {
    await app.sql.query(
      `WITH lane AS (UPDATE webhook_lanes SET revision_at = revision_at - make_interval(days => $3))
      UPDATE datagrid_changes SET at = at - make_interval(days => $3)
      WHERE datagrid_id = $1 AND revision <= $2`,
      [datagridId, revision, days],
    );
  };

  async function trim(): Promise<number[]> {
    await app.nest.get(ChangeLogTrimService, { strict: false }).runOnce();
    const { rows } = await app.sql.query<{ revision: number }>(
      'SELECT revision::int FROM datagrid_changes WHERE datagrid_id = $1 ORDER BY 1',
      [datagridId],
    );
    return rows.map(({ revision }) => revision);
  }

  it('keeps what has not been sent, so that nothing is lost after CHANGE_RETENTION_DAYS', async () => {
    await addRows(2);
    const hook = await newHook();
    await stopAtNextEvent(hook);
    await addRows(3);
    await age(6, 29);
    expect(await trim()).toEqual([3, 4, 5, 6]);
    expect(await trim()).toEqual([3, 4, 5, 6]);
    await goOn(hook);
    await receives(['rows.created', 2, 3], ['rows.created', 3, 6]);
    await eventually(async () => (await trim()).join() === '6');
  });

  it('is trimmed after MAX_CHANGE_RETENTION_DAYS, and the webhook sends changes.gap', async () => {
    const hook = await newHook();
    await stopAtNextEvent(hook);
    await addRows(4);
    await age(3, 31);
    expect(await trim()).toEqual([3, 4, 5]);
    await goOn(hook);
    await receives(['rows.created', 0, 1], ['changes.gap', 1, 5]);
  });

  it('is trimmed after CHANGE_RETENTION_DAYS if the webhook is disabled', async () => {
    const hook = await newHook();
    await stopAtNextEvent(hook);
    dataOf(await owner.api.patch(hook, { enabled: false }), 200);
    await addRows(4);
    await age(5, 8);
    expect(await trim()).toEqual([5]);
  });
});

describe('a webhook after the restore of a backup', () => {
  it('sends changes.gap for each datagrid after webhook resync, and continues', async () => {
    const hook = await newHook();
    await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
    await addRows(1);
    await receives(['rows.created', 0, 1]);
    // Otherwise it is sent once more.
    await eventually(async () => {
      const { rowCount } = await app.sql.query(
        'SELECT FROM webhook_lanes WHERE webhook_id = $1 AND last_event > last_delivered',
        [hook.split('/').at(-1)],
      );
      return rowCount === 0;
    });
    const resync = new WebhookResyncService(app.nest.get(LaneSetRepository, { strict: false }));
    const other = await app.newAccount();
    expect(await resync.resync(other.accountId)).toEqual({ webhooks: 0, datagrids: 0 });
    await poll();
    expect(await resync.resync(owner.accountId)).toEqual({ webhooks: 1, datagrids: 2 });
    await poll();
    await eventually(() => receiver.received.length === 3);
    expect(receiver.received.slice(1).map(summary).sort()).toEqual([
      ['changes.gap', 0, 0],
      ['changes.gap', 1, 1],
    ]);
    await addRows(1);
    await eventually(() => receiver.received.length === 4);
    expect(receiver.received.slice(3).map(summary)).toEqual([['rows.created', 1, 2]]);
  });

  it('sends changes.gap if the log ends before its position', async () => {
    await newHook();
    await addRows(3);
    await eventually(() => receiver.received.at(-1)?.body.data.revision === 3);
    receiver.received.length = 0;
    await restoreLog(1);
    await poll();
    await receives(['changes.gap', 3, 1]);
    await addRows(1);
    await receives(['changes.gap', 3, 1], ['rows.created', 1, 2]);
  });

  it('sends changes.gap if the revision of its position now belongs to another write', async () => {
    const hook = await newHook();
    await addRows(2);
    await eventually(() => receiver.received.at(-1)?.body.data.revision === 2);
    await stopAtNextEvent(hook);
    await restoreLog(1);
    await addRows(4);
    await goOn(hook);
    await receives(['rows.created', 2, 3], ['changes.gap', 3, 5]);
  });

  /** Restores the datagrid and its log, but not the webhooks, to a revision. */
  const restoreLog = (revision: number): Promise<unknown> =>
    app.sql.query(
      `WITH gone AS (DELETE FROM datagrid_changes WHERE datagrid_id = $1 AND revision > $2)
      UPDATE datagrid_counters SET revision = $2 WHERE datagrid_id = $1`,
      [datagridId, revision],
    );
});

describe('the purge of a datagrid whose changes a webhook has not sent', () => {
  const purge = async (id: string): Promise<void> => {
    expect((await owner.api.delete(`/trash/${id}`)).status).toBe(204);
  };

  /** Returns what the audit log says of webhooks that were deleted with the workspace. */
  async function undelivered(hook: string): Promise<object[]> {
    const { rows } = await app.sql.query<{ details: object }>(
      "SELECT details FROM audit_events WHERE action = 'webhook_deleted' AND target_id = $1",
      [hook.slice(-36)],
    );
    return rows.map(({ details }) => details);
  }

  it('stores changes.gap and then datagrid.deleted', async () => {
    const hook = await newHook();
    const quiet = await newHook({ events: ['rows.created'] });
    await stopAtNextEvent(hook);
    await addRows(2);
    await owner.api.delete(datagrid);
    await purge(datagridId);
    const hooks = [hook, quiet].map((path) => path.slice(-36));
    const { rows } = await app.sql.query(
      `SELECT type, from_revision::int AS low, revision::int AS high FROM webhook_events
      WHERE webhook_id = ANY($1) ORDER BY array_position($1, webhook_id), sequence`,
      [hooks],
    );
    expect(rows).toEqual([
      { type: 'rows.created', low: 0, high: 1 },
      { type: 'changes.gap', low: 1, high: 3 },
      { type: 'datagrid.deleted', low: 3, high: 4 },
      { type: 'rows.created', low: 0, high: 1 },
      { type: 'changes.gap', low: 1, high: 3 },
    ]);
    dataOf(await owner.api.patch(quiet, { enabled: false }), 200);
    await goOn(hook);
    await receives(['rows.created', 0, 1], ['changes.gap', 1, 3], ['datagrid.deleted', 3, 4]);
    const deleted = receiver.received[2]?.body.data as { changedBy: unknown } | undefined;
    expect(deleted?.changedBy).toEqual({ userId: owner.userId, keyId: owner.keyId });
    await eventually(async () => {
      await app.nest.get(RetentionService, { strict: false }).runOnce();
      const left = await app.sql.query('SELECT webhook_id AS id FROM webhook_lanes');
      return JSON.stringify(left.rows) === JSON.stringify([{ id: hooks[1] }]);
    });
  });

  it('stores only its deletion if nothing else is missing', async () => {
    const hook = await newHook();
    await stopAtNextEvent(hook);
    await owner.api.delete(datagrid);
    await purge(datagridId);
    await goOn(hook);
    await receives(['rows.created', 0, 1], ['datagrid.deleted', 1, 2]);
  });

  it('is recorded in the audit log if the workspace is purged with its webhooks', async () => {
    const hook = await newHook();
    await stopAtNextEvent(hook);
    await owner.api.delete(`/workspaces/${workspaceId}?cascade=true`);
    await purge(workspaceId);
    expect(await undelivered(hook)).toEqual([{ undeliveredDatagrids: 1 }]);
  });

  it('is recorded in the audit log if the workspace is purged before its webhooks sent changes.gap', async () => {
    const hook = await newHook();
    await owner.api.delete(`/workspaces/${workspaceId}?cascade=true`);
    await receives(['datagrid.deleted', 0, 1]);
    const isAtHead = 'revision = 1 AND last_delivered = last_event AND leased_until <= now()';
    await eventually(async () => {
      const { rowCount } = await app.sql.query(`SELECT FROM webhook_lanes WHERE ${isAtHead}`);
      return rowCount === 1;
    });
    await app.sql.query('UPDATE webhooks SET enabled = false');
    await app.sql.query('UPDATE webhook_lanes SET has_gap = true');
    await purge(workspaceId);
    expect(await undelivered(hook)).toEqual([{ undeliveredDatagrids: 1 }]);
  });
});
