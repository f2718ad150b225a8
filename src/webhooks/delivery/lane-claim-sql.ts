import type { Statement } from '../../platform/database/text-query';

const IS_FAILING = '(w.consecutive_failures > 0 OR w.last_success_at IS NULL)';

/** Condition for a lane `l` that may be claimed. */
export const IS_FREE = 'l.next_attempt_at <= now() AND l.leased_until <= now()';

/**
 * Finds open lanes by the index, as many of each webhook as it may have at a time. So the cost grows
 * with the number of webhooks, not with that of lanes.
 */
const OPEN_LANES = `
      SELECT l.webhook_id, l.datagrid_id, w.account_id, ${IS_FAILING} AS is_failing
      FROM webhooks w
      CROSS JOIN LATERAL (
        SELECT l.webhook_id, l.datagrid_id FROM webhook_lanes l
        WHERE l.webhook_id = w.id AND l.is_open AND ${IS_FREE}
        ORDER BY l.next_attempt_at LIMIT $3::int
      ) l
      WHERE w.enabled AND CASE WHEN ${IS_FAILING}
        THEN $7::int > 0 AND w.account_id <> ALL($11::uuid[])
        ELSE $6::int > 0 AND w.account_id <> ALL($10::uuid[]) END`;

const GIVEN_LANES = `
      SELECT l.webhook_id, l.datagrid_id, w.account_id, ${IS_FAILING} AS is_failing
      FROM unnest($10::uuid[], $11::uuid[]) AS given(webhook_id, datagrid_id)
      JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      JOIN webhooks w ON w.id = l.webhook_id
      WHERE w.enabled AND ${IS_FREE}`;

/** Opens the lanes that were found and not claimed, so that they are found later. */
const OPEN_OTHERS = `, others AS (
      SELECT l.webhook_id, l.datagrid_id
      FROM due JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      WHERE NOT l.is_open AND NOT EXISTS (
        SELECT FROM locked
        WHERE locked.webhook_id = l.webhook_id AND locked.datagrid_id = l.datagrid_id
      )
      FOR UPDATE OF l SKIP LOCKED
    ), opened AS (
      UPDATE webhook_lanes l SET is_open = true
      FROM others WHERE l.webhook_id = others.webhook_id AND l.datagrid_id = others.datagrid_id
    )`;

/**
 * Claims lanes with work. Accounts and webhooks take turns. A lane that another sender claims at the
 * same time is skipped.
 * @param due Finds the lanes.
 */
const claim = (name: string, due: string, others = ''): Statement => ({
  name,
  text: `
    WITH due AS (${due}
    ), active AS (
      SELECT a.id, a.is_failing, a.count, w.account_id
      FROM unnest($1::uuid[], $2::int[], $9::boolean[]) AS a(id, count, is_failing)
      JOIN webhooks w ON w.id = a.id
    ), by_webhook AS (
      SELECT due.*, coalesce(active.count, 0)
        + row_number() OVER (PARTITION BY due.webhook_id ORDER BY random()) AS webhook_place
      FROM due LEFT JOIN (SELECT id, sum(count) AS count FROM active GROUP BY 1) active
        ON active.id = due.webhook_id
    ), by_account AS (
      SELECT b.*, coalesce(active.count, 0) + row_number() OVER (
          PARTITION BY b.account_id, b.is_failing ORDER BY b.webhook_place, random()
        ) AS account_place
      FROM by_webhook b
      LEFT JOIN (
        SELECT account_id, is_failing, sum(count) AS count FROM active GROUP BY 1, 2
      ) active ON active.account_id = b.account_id AND active.is_failing = b.is_failing
      WHERE b.webhook_place <= CASE WHEN b.is_failing THEN 1 ELSE $3::int END
    ), chosen AS (
      SELECT webhook_id, datagrid_id, is_failing, row_number() OVER (
          PARTITION BY is_failing ORDER BY account_place, random()
        ) AS place
      FROM by_account
      WHERE account_place <= CASE WHEN is_failing THEN $5::int ELSE $4::int END
    ), locked AS (
      SELECT l.webhook_id, l.datagrid_id, chosen.is_failing, now() AS at,
        (extract(epoch FROM l.revision_at) * 1000)::bigint AS at_ms
      FROM chosen JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      WHERE chosen.place <= CASE WHEN chosen.is_failing THEN $7::int ELSE $6::int END
        AND l.leased_until <= now() AND l.next_attempt_at <= now()
      FOR UPDATE OF l SKIP LOCKED
    )${others}
    UPDATE webhook_lanes l
    SET token = l.token + 1, leased_until = now() + $8::int * interval '1 ms'
    FROM locked, webhooks w
    WHERE l.webhook_id = locked.webhook_id AND l.datagrid_id = locked.datagrid_id
      AND w.id = l.webhook_id
    RETURNING l.webhook_id AS "webhookId", l.datagrid_id AS "datagridId", l.revision, l.part,
      locked.at_ms AS "atMs", l.has_gap AS "hasGap",
      l.token, l.last_event AS "lastEvent", l.last_delivered AS "lastDelivered", l.failures,
      w.account_id AS "accountId", w.workspace_id AS "workspaceId", w.url, w.events, w.filter,
      w.payload,      w.secret, CASE WHEN w.previous_secret_until > locked.at THEN w.previous_secret END
        AS "previousSecret", locked.is_failing AS "isFailing"`,
});

/** Exported for the test of its plan. */
export const CLAIM = claim('webhook-lane-claim', OPEN_LANES);

export const CLAIM_OF = claim('webhook-lane-claim-of', GIVEN_LANES, OPEN_OTHERS);
