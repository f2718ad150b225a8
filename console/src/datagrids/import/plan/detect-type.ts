import type { ColumnType } from '../../column-type';
import type { Cell } from '../read/record';
import { isCode, readNumber } from '../values/read-number';
import { readValue, type ValueFormats } from '../values/read-value';

/** A type that a column may have. */
interface Candidate {
  readonly type: ColumnType;
  /** Texts that suggest it. Others may fit it, but do not suggest it. */
  readonly suggests: (text: string, formats: ValueFormats) => boolean;
  /** Whether fewer misfits than usual speak against it, because texts often look like it. */
  readonly isStrict?: boolean;
}

const YES_OR_NO = /^(?:yes|no|ja|nein|oui|non|wahr|falsch|vrai|faux|sí|si)$/i;
/** The number of values from which on a strict type may have misfits, and their largest share. */
const STRICT_VALUES = 20;
const STRICT_SHARE = 0.05;

const CANDIDATES: readonly Candidate[] = [
  { type: 'boolean', suggests: (text) => /^(?:true|false)$/i.test(text) },
  { type: 'boolean', suggests: (text) => YES_OR_NO.test(text.trim()), isStrict: true },
  // An integer does not keep the decimals of 10.00, and the values after them may have cents.
  {
    type: 'integer',
    suggests: (text, { mark }) =>
      !isCode(text) && !/[eE]/.test(text) && readNumber(text, mark)?.includes('.') !== true,
  },
  // The type `number` does not keep the zeros of 1.50.
  { type: 'number', suggests: (text) => !isCode(text) && !/[.,]\d*0$|[eE]/.test(text) },
  { type: 'decimal', suggests: (text) => !isCode(text) && !/[eE]/.test(text) },
  { type: 'date', suggests: () => true },
  // A time without an offset is no point in time: the user decides.
  { type: 'datetime', suggests: (text) => /(?:z|[+-]\d{2}:?\d{2})$/i.test(text) },
  { type: 'email', suggests: () => true, isStrict: true },
  { type: 'url', suggests: () => true, isStrict: true },
];

/** Values from which on a hint names a type, and the largest share of them that may not fit it. */
const HINT_VALUES = 3;
const HINT_SHARE = 1 / 3;

/** A type that most values of a text column have. */
export interface TypeHint {
  readonly type: ColumnType;
  /** Number of the values, without empty cells. */
  readonly values: number;
  /** Positions of the cells that do not have the type. */
  readonly misfits: readonly number[];
}

/** The type of a column, and for a text column the type that most of its values have. */
export interface DetectedType {
  readonly type: ColumnType;
  readonly hint?: TypeHint;
}

/**
 * Detects the type of a column: the narrowest one that nearly all cells have. The few cells that
 * do not have it are counted and shown before the import.
 * @param hasNoString Whether the cells are JSON, and none of them is a string.
 */
export function detectType(
  cells: readonly Cell[],
  formats: ValueFormats,
  hasNoString: boolean,
): DetectedType {
  const filled = cells.flatMap((text, at) =>
    typeof text === 'string' && text !== '' ? [{ text, at }] : [],
  );
  const values = filled.length;
  if (values === 0) return { type: 'text' };
  if (hasNoString && filled.every(({ text }) => /^[[{]/.test(text))) return { type: 'json' };
  const hasCode = filled.some(({ text }) => isCode(text));
  let hint: TypeHint | undefined;
  for (const { type, suggests, isStrict = false } of CANDIDATES) {
    if (hasCode && (type === 'integer' || type === 'number' || type === 'decimal')) continue;
    const fits = (text: string): boolean =>
      readValue(text, { type, options: {} }, formats) !== undefined;
    const misfits = filled.filter(({ text }) => !fits(text)).map(({ at }) => at);
    // A value that fits the type but would lose its notation needs a wider type.
    if (filled.some(({ text }) => !suggests(text, formats) && fits(text))) continue;
    const fitting = values - misfits.length;
    if (misfits.length <= mostMisfits(values, isStrict) && fitting > misfits.length) {
      return { type };
    }
    const isMost = fitting >= HINT_VALUES && misfits.length <= values * HINT_SHARE;
    if (isMost && misfits.length < (hint?.misfits.length ?? values)) {
      hint = { type, values, misfits };
    }
  }
  return hint ? { type: 'text', hint } : { type: 'text' };
}

function mostMisfits(count: number, isStrict: boolean): number {
  if (!isStrict) return Math.max(1, count / 10);
  return count < STRICT_VALUES ? 0 : count * STRICT_SHARE;
}
