import type { ColumnType } from '../../column-type';
import type { Cell } from '../read/record';
import { isCode } from '../values/read-number';
import { readValue, type ValueFormats } from '../values/read-value';

/** A type that a column may have. */
interface Candidate {
  readonly type: ColumnType;
  /** Texts that suggest it. Others may fit it, but do not suggest it. */
  readonly suggests: (text: string) => boolean;
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
  { type: 'integer', suggests: (text) => !isCode(text) && !/[eE]/.test(text) },
  // The type `number` does not keep the zeros of 1.50.
  { type: 'number', suggests: (text) => !isCode(text) && !/[.,]\d*0$|[eE]/.test(text) },
  { type: 'decimal', suggests: (text) => !isCode(text) && !/[eE]/.test(text) },
  { type: 'date', suggests: () => true },
  // A time without an offset is no point in time: the user decides.
  { type: 'datetime', suggests: (text) => /(?:z|[+-]\d{2}:?\d{2})$/i.test(text) },
  { type: 'email', suggests: () => true, isStrict: true },
  { type: 'url', suggests: () => true, isStrict: true },
];

/**
 * Detects the type of a column: the narrowest one that nearly all cells have. The few cells that
 * do not have it are counted and shown before the import.
 * @param hasNoString Whether the cells are JSON, and none of them is a string.
 */
export function detectType(
  cells: readonly Cell[],
  formats: ValueFormats,
  hasNoString: boolean,
): ColumnType {
  const texts = cells.filter((cell) => typeof cell === 'string' && cell !== '') as string[];
  if (texts.length === 0) return 'text';
  if (hasNoString && texts.every((text) => /^[[{]/.test(text))) return 'json';
  const hasCode = texts.some(isCode);
  for (const { type, suggests, isStrict = false } of CANDIDATES) {
    if (hasCode && (type === 'integer' || type === 'number' || type === 'decimal')) continue;
    const fits = (text: string): boolean =>
      readValue(text, { type, options: {} }, formats) !== undefined;
    const suggesting = texts.filter((text) => suggests(text) && fits(text)).length;
    const others = texts.filter((text) => !suggests(text) && fits(text)).length;
    const misfits = texts.length - suggesting - others;
    const isNearlyAll = misfits <= mostMisfits(texts.length, isStrict) && suggesting > misfits;
    // A value that fits the type but would lose its notation needs a wider type.
    if (isNearlyAll && others === 0) return type;
  }
  return 'text';
}

function mostMisfits(count: number, isStrict: boolean): number {
  if (!isStrict) return Math.max(1, count / 10);
  return count < STRICT_VALUES ? 0 : count * STRICT_SHARE;
}
