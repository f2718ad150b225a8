import { JsonRejectedError } from '../../src/common/json/json-error';
import { parseJson } from '../../src/common/json/parse-json';
import { readJson } from '../../src/common/json/read-json';

const MANY = 1_000_000;

/** Parses JSON in as many slices as possible. */
export function parse(
  bytes: Buffer,
  maxValues = MANY,
): { value: unknown; values: number; slices: number } {
  const parser = parseJson(bytes, { maxValues, isDue: () => true });
  for (let slices = 1; ; slices += 1) {
    const { done, value } = parser.next();
    if (done === true) return { ...value, slices };
  }
}

/** Returns the outcome of a reader: a value, or the code, field and message of its rejection. */
export function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof JsonRejectedError)) throw error;
    const { code, field, message } = error;
    return { code, field, message };
  }
}

/**
 * Expects the same outcome from both readers. If `readJson` reports malformed JSON, any rejection
 * by `parseJson` will do: it reports the first of several errors, and `readJson` may report another
 * one.
 */
export function expectAlike(text: string | Buffer): void {
  const bytes = Buffer.from(text);
  const [parsed, read] = [() => parse(bytes).value, () => readJson(bytes)].map(outcome);
  const isMalformed = JSON.stringify(read).startsWith('{"code":"malformed_json"');
  if (isMalformed) expect(parsed).toHaveProperty('code');
  else expect(parsed).toStrictEqual(read);
}
