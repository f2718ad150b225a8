/** Character between the whole part and the fraction of a number. */
export type DecimalMark = '.' | ',';

/** Characters that separate groups of three digits in addition to the other decimal mark. */
const SPACES = " \u00a0\u202f\u2009'’";

/**
 * Reads a number as people write it, such as `1.234,50` with a decimal comma. No digit is changed.
 * @returns plain digits with a decimal point, as the API takes them; undefined if it is not a number.
 */
export function readNumber(text: string, mark: DecimalMark): string | undefined {
  const trimmed = withoutExponent(text.trim().replace(/^\u2212/, '-'), mark);
  const other = mark === '.' ? ',' : '.';
  const sign = trimmed.startsWith('-') ? '-' : '';
  const unsigned = trimmed.replace(/^[+-]/, '');
  const parts = unsigned.split(mark);
  const [whole = '', fraction] = parts;
  if (parts.length > 2 || (fraction !== undefined && !/^\d+$/.test(fraction))) return undefined;
  const digits = withoutGroups(whole, other);
  if (digits === undefined) return undefined;
  return `${sign}${digits.replace(/^0+(?=\d)/, '')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Moves the decimal mark of `1.5e3`. An exponent that makes a long number is left as it is. */
function withoutExponent(text: string, mark: DecimalMark): string {
  const match = /^([+-]?)(\d+)(?:([.,])(\d+))?e([+-]?\d{1,3})$/i.exec(text);
  if (!match || (match[3] ?? mark) !== mark) return text;
  const [, sign = '', whole = '', , fraction = '', exponent = '0'] = match;
  const at = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (at <= 0) return `${sign}0${mark}${'0'.repeat(-at)}${digits}`;
  if (at >= digits.length) return sign + digits + '0'.repeat(at - digits.length);
  return `${sign}${digits.slice(0, at)}${mark}${digits.slice(at)}`;
}

function withoutGroups(whole: string, other: string): string | undefined {
  if (/^\d+$/.test(whole)) return whole;
  const separator = /^\d{1,3}(\D)/.exec(whole)?.[1];
  if (separator === undefined || !(separator === other || SPACES.includes(separator))) {
    return undefined;
  }
  const [first = '', ...groups] = whole.split(separator);
  const isGrouped = /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
  // A number with leading zeros has no groups: 0.123 and 001.234 are something else.
  return isGrouped && !first.startsWith('0') ? first + groups.join('') : undefined;
}

/** What the texts of a file say about its decimal mark. */
export interface MarkEvidence {
  readonly mark: DecimalMark;
  /** A text that can be read both ways, if the others do not decide, or not all in the same way. */
  readonly ambiguous?: string;
}

/** Detects the decimal mark of a file from texts of its cells. */
export function detectMark(texts: Iterable<string>): MarkEvidence {
  const votes = { '.': 0, ',': 0 };
  let ambiguous: string | undefined;
  for (const text of texts) {
    const trimmed = text.trim();
    if (!/[.,]/.test(trimmed)) continue;
    const point = readNumber(trimmed, '.');
    const comma = readNumber(trimmed, ',');
    if (point !== undefined && comma !== undefined) ambiguous ??= trimmed;
    else if (point !== undefined) votes['.'] += 1;
    else if (comma !== undefined) votes[','] += 1;
  }
  const mark = votes[','] > votes['.'] ? ',' : '.';
  const isDecided = votes['.'] === 0 ? votes[','] > 0 : votes[','] === 0;
  return isDecided || ambiguous === undefined ? { mark } : { mark, ambiguous };
}

/** True for digits that are a name rather than an amount: `01067`, `+49301234` or `12e5`. */
export function isCode(text: string): boolean {
  return /^-?0\d|^\+\d|^\d+e\d+$/i.test(text.trim());
}
