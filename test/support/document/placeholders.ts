import { RFC3339, UUID_V7 } from '../fixture';

const TIMES = new Set([
  'createdAt',
  'updatedAt',
  'changedAt',
  'deletedAt',
  'expiresAt',
  'startedAt',
  'finishedAt',
  'endedAt',
  'syncedAt',
  'lastRunAt',
  'nextRunAt',
  'lastErrorAt',
  'at',
  'timestamp',
]);
/** Numbers that depend on the speed of the machine. */
const RATES = new Set(['rowsPerSecond', 'durationMs']);
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ETAG = /^"[^"]+"$/;
/** The secret of a webhook, the id of an event, a public link, and the workspace of a guide. */
const RANDOM =
  /^(whsec_[A-Za-z0-9+/]{43}=|Guide \d{10}|msg_[0-9a-f]{32}|http:\/\/[\w.:]+\/shared\/[\w-]{43})$/;
const RATE_LIMIT = /^"default";r=\d+;t=\d+$/;

/**
 * Values in a document that represent other values when its examples run. By its form and place, a
 * shown text represents
 * - for an id (UUIDv7), the id of an event, a secret, a public link, the workspace of a guide, a `nextCursor` or an `ETag`: the actual value at its first appearance, and
 *   the same value at every later one; two of them never represent the same value;
 * - for a time (`createdAt` and the like): any time in the same form;
 * - for a `requestId`: that of the response;
 * - for the numbers left in `RateLimit`, and for a rate or a duration: any number;
 * - for the logged `request` of a delivery: any text.
 *
 * All other texts represent themselves.
 */
export class Placeholders {
  private readonly actualOf: Map<string, string>;

  /** @param known Actual values known from the start, such as the key, by their shown text. */
  constructor(known: Readonly<Record<string, string>>) {
    this.actualOf = new Map(Object.entries(known));
  }

  /** Replaces the placeholders in a document's text with their actual values. */
  toActual(text: string): string {
    return replaceAll(text, [...this.actualOf]);
  }

  /** Returns the value of a header that the document should show. */
  header(name: string, shown: string | null, actual: string | null): string | null {
    if (shown === null || actual === null) return actual;
    if (name === 'RateLimit' && RATE_LIMIT.test(shown) && RATE_LIMIT.test(actual)) return shown;
    if (name === 'ETag' && this.stands(ETAG, shown, actual)) return shown;
    const ids = actual.match(IDS) ?? [];
    for (const [index, id] of (shown.match(IDS) ?? []).entries()) {
      this.stands(UUID_V7, id, ids[index] ?? '');
    }
    return this.toShown(actual);
  }

  /**
   * Returns the body that the document should show. If it differs from the shown one, the example
   * is wrong.
   */
  body(shown: unknown, actual: unknown, requestId: string | null, member = ''): unknown {
    if (typeof actual === 'string') {
      return typeof shown === 'string' ? this.text(shown, actual, requestId, member) : actual;
    }
    if (typeof actual === 'number' && typeof shown === 'number' && RATES.has(member)) return shown;
    if (Array.isArray(actual)) {
      const items: readonly unknown[] = Array.isArray(shown) ? shown : [];
      return actual.map((item, index) => this.body(items[index], item, requestId));
    }
    if (typeof actual !== 'object' || actual === null) return actual;
    const members = (typeof shown === 'object' ? shown : null) as Record<string, unknown> | null;
    return Object.fromEntries(
      Object.entries(actual).map(([name, value]) => [
        name,
        this.body(members?.[name], value, requestId, name),
      ]),
    );
  }

  private text(shown: string, actual: string, requestId: string | null, member: string): string {
    if (TIMES.has(member) && RFC3339.test(shown) && RFC3339.test(actual)) return shown;
    if (member === 'requestId' && REQUEST_ID.test(shown) && actual === requestId) return shown;
    if (member === 'request') return shown;
    const fixed = RANDOM.test(shown) ? RANDOM : UUID_V7;
    const form = member === 'nextCursor' ? /^\S+$/ : fixed;
    return this.stands(form, shown, actual) ? shown : this.toShown(actual);
  }

  /** Returns true if `shown` represents `actual`. Records a new pair. */
  private stands(form: RegExp, shown: string, actual: string): boolean {
    if (!form.test(shown) || !form.test(actual)) return false;
    const isNew = !this.actualOf.has(shown) && ![...this.actualOf.values()].includes(actual);
    if (isNew) this.actualOf.set(shown, actual);
    return this.actualOf.get(shown) === actual;
  }

  private toShown(text: string): string {
    return replaceAll(
      text,
      [...this.actualOf].map(([shown, actual]) => [actual, shown] as const),
    );
  }
}

function replaceAll(text: string, pairs: readonly (readonly [string, string])[]): string {
  // The longest first: a link begins with the origin of the service.
  return [...pairs]
    .sort(([a], [b]) => b.length - a.length)
    .reduce((changed, [from, to]) => changed.replaceAll(from, () => to), text);
}
