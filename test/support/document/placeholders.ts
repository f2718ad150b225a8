import { RFC3339, UUID_V7 } from '../fixture';

const TIMES = new Set([
  'createdAt',
  'updatedAt',
  'deletedAt',
  'expiresAt',
  'startedAt',
  'finishedAt',
]);
/** Numbers that depend on how fast the machine is. */
const RATES = new Set(['rowsPerSecond']);
const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ETAG = /^"[^"]+"$/;
const RATE_LIMIT = /^"default";r=\d+;t=\d+$/;

/**
 * What in a document stands for something else when its examples are executed. By its form and
 * place a shown text stands for
 * - an id (UUIDv7), a `nextCursor` or an `ETag`: for what is there at its first appearance, and
 *   from then on, wherever it appears, for the same; no two of them for one thing;
 * - a time (`createdAt` and the like): for any time, in the same form;
 * - a `requestId`: for the answer's own;
 * - the numbers left in `RateLimit`, and a rate: for any.
 * Everything else stands for itself.
 */
export class Placeholders {
  private readonly actualOf: Map<string, string>;

  /** @param known What is known from the start, as shown and in fact, such as the key. */
  constructor(known: Readonly<Record<string, string>>) {
    this.actualOf = new Map(Object.entries(known));
  }

  /** A document's text with what its placeholders stand for. */
  toActual(text: string): string {
    return replaceAll(text, [...this.actualOf]);
  }

  /** What the document would have to show of a header. */
  header(name: string, shown: string | null, actual: string | null): string | null {
    if (shown === null || actual === null) return actual;
    if (name === 'RateLimit' && RATE_LIMIT.test(shown) && RATE_LIMIT.test(actual)) return shown;
    if (name === 'ETag' && this.stands(ETAG, shown, actual)) return shown;
    return this.toShown(actual);
  }

  /** What the document would have to show of a body: the same as it does, or the example is wrong. */
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
    const form = member === 'nextCursor' ? /^\S+$/ : UUID_V7;
    return this.stands(form, shown, actual) ? shown : this.toShown(actual);
  }

  /** Whether `shown` stands for `actual`, from now on at the latest. */
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
  return pairs.reduce((changed, [from, to]) => changed.replaceAll(from, () => to), text);
}
