/** Digits of the smallest integer that JavaScript prints with an exponent. */
const WIDE_DIGITS = 22;
/** The beginning of the largest fraction that JavaScript prints with an exponent. */
const SMALL_START = '0.000000';
const SMALL = /0\.000000/g;
/** Numbers, as PostgreSQL prints `jsonb`, that JavaScript prints with an exponent. */
const WIDE_NUMBER = /^-?\d{22,}$/;
const SMALL_NUMBER = /^-?0\.000000\d+$/;
/** More characters than PostgreSQL prints for any double. */
const MAX_CHARACTERS = 400;
const BACKSLASH = 92;
const NEWLINE = 10;

/** Characters that are searched at a time, which takes less than a millisecond. */
const SLICE_CHARACTERS = 256 * 1024;
/** Quotes that are searched at a time, which takes less than a millisecond. */
const QUOTES_A_SLICE = 10_000;
/** Texts that are joined at a time. */
const MAX_PARTS = 10_000;

type Range = readonly [start: number, end: number];

/**
 * Returns JSON text that PostgreSQL has printed, with numbers as JavaScript prints them: `1e+22` in
 * place of `10000000000000000000000`. Many readers of JSON take a number without point and exponent for
 * an integer, and cannot hold one of 23 digits.
 *
 * A text without these numbers, as nearly all are, is searched in steps of several characters.
 */
export function withJavaScriptNumbers(json: string): string {
  const work = printingNumbers(json, () => false);
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/**
 * Returns the same as `withJavaScriptNumbers`, in slices, for large texts.
 * @param isDue Called regularly. If it returns `true`, the generator yields.
 */
export function* printingNumbers(json: string, isDue: () => boolean): Generator<undefined, string> {
  const found = yield* candidates(json, isDue);
  if (found.length === 0) return json;
  let [printed, parts, copiedTo]: [string, string[], number] = ['', [], 0];
  let [quote, isInString, quotes, checkAt] = [json.indexOf('"'), false, 0, SLICE_CHARACTERS];
  for (const [start, end] of found) {
    while (quote !== -1 && quote < start) {
      if (!isInString || !isEscaped(json, quote)) isInString = !isInString;
      quote = json.indexOf('"', quote + 1);
      quotes += 1;
      if (quotes % QUOTES_A_SLICE > 0 && quote < checkAt) continue;
      checkAt = quote + SLICE_CHARACTERS;
      if (isDue()) yield;
    }
    if (isInString) continue;
    parts.push(json.slice(copiedTo, start), JSON.stringify(Number(json.slice(start, end))));
    copiedTo = end;
    if (parts.length > MAX_PARTS) [printed, parts] = [printed + parts.join(''), []];
  }
  return printed + parts.join('') + json.slice(copiedTo);
}

/** Returns whether an odd number of backslashes is before an index of a string. */
function isEscaped(json: string, index: number): boolean {
  let start = index;
  while (json.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (index - start) % 2 === 1;
}

/** Returns the places of the numbers, in order. Some can be within strings. */
function* candidates(json: string, isDue: () => boolean): Generator<undefined, Range[]> {
  const found: Range[] = [];
  let index = WIDE_DIGITS - 1;
  for (let from = 0; from < json.length; from += SLICE_CHARACTERS) {
    if (from > 0 && isDue()) yield;
    const to = from + SLICE_CHARACTERS;
    const small = smallNumbers(json, from, to);
    const wide: Range[] = [];
    // Each run of so many digits has one of them at one of these indexes.
    for (; index < to && index < json.length; index += WIDE_DIGITS) {
      if (!isDigit(json.charCodeAt(index)) || !isWide(json, index)) continue;
      const range = numberAround(json, index);
      if (isNumber(json, range, WIDE_NUMBER)) wide.push(range);
      index = range[1] - 1;
    }
    if (small.length > 0 && wide.length > 0) wide.push(...small);
    found.push(...(wide.length > small.length ? wide.sort(([a], [b]) => a - b) : small));
  }
  return found;
}

function smallNumbers(json: string, from: number, to: number): Range[] {
  const found: Range[] = [];
  const slice =
    from === 0 && to >= json.length ? json : json.slice(from, to + SMALL_START.length - 1);
  SMALL.lastIndex = 0;
  for (let match = SMALL.exec(slice); match; match = SMALL.exec(slice)) {
    const range = numberAround(json, from + match.index);
    if (isNumber(json, range, SMALL_NUMBER)) found.push(range);
    SMALL.lastIndex = Math.max(range[1] - from, match.index + 1);
  }
  return found;
}

/** Returns whether the run of digits around an index is that of a wide number. */
function isWide(json: string, index: number): boolean {
  let start = index;
  while (start > index - WIDE_DIGITS && isDigit(json.charCodeAt(start - 1))) start -= 1;
  for (let end = index + 1; end < start + WIDE_DIGITS; end += 1) {
    if (!isDigit(json.charCodeAt(end))) return false;
  }
  return true;
}

/** Returns the digits, the point and the sign around an index. */
function numberAround(json: string, index: number): Range {
  let [start, end] = [index, index + 1];
  while (index - start < MAX_CHARACTERS && isDigitOrPoint(json.charCodeAt(start - 1))) start -= 1;
  while (end - index < MAX_CHARACTERS && isDigitOrPoint(json.charCodeAt(end))) end += 1;
  return [json.charAt(start - 1) === '-' ? start - 1 : start, end];
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isDigitOrPoint = (code: number): boolean => isDigit(code) || code === 46;

/** Returns whether a number is to be printed anew. It stands where a value can, maybe in a string. */
const isNumber = (json: string, [start, end]: Range, pattern: RegExp): boolean =>
  (start === 0 || ' :,['.includes(json.charAt(start - 1))) &&
  (end >= json.length || ',]}\n'.includes(json.charAt(end))) &&
  pattern.test(json.slice(start, end));

/**
 * Yields lines of JSON that PostgreSQL has printed, with numbers as JavaScript prints them.
 * @param source Bytes of lines, which can end within a line.
 * @returns what `source` returns.
 */
export async function* linesWithJavaScriptNumbers<Result>(
  source: AsyncGenerator<Buffer, Result>,
): AsyncGenerator<Buffer, Result> {
  const begun: Buffer[] = [];
  const whole = (rest: Buffer): Buffer =>
    begun.length === 0 ? rest : Buffer.concat([...begun.splice(0), rest]);
  let next = await source.next();
  try {
    for (; next.done !== true; next = await source.next()) {
      const end = next.value.lastIndexOf(NEWLINE) + 1;
      if (end > 0) yield printedLines(whole(next.value.subarray(0, end)));
      if (end < next.value.length) begun.push(next.value.subarray(end));
    }
    if (begun.length > 0) yield printedLines(whole(Buffer.alloc(0)));
    return next.value;
  } finally {
    // The reader may have left.
    if (next.done !== true) await source.return(undefined as never);
  }
}

/** JSON is ASCII but for its strings, whose bytes stay as they are. */
function printedLines(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const printed = withJavaScriptNumbers(text);
  return printed === text ? bytes : Buffer.from(printed, 'latin1');
}
