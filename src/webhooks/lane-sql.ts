/**
 * Condition for a lane `l` that has something to deliver. `c` is the counter of its datagrid, or null
 * if the datagrid was purged.
 */
export const HAS_UNDELIVERED = `(
  l.last_event > l.last_delivered OR c.revision <> l.revision OR l.part IS NOT NULL
  OR (l.has_gap AND c.revision IS NOT NULL)
)`;
