import type { ColumnType } from '../../column-type';
import type { Cell } from '../read/record';
import { isCode } from '../values/read-number';
import { readValue, type ValueFormats } from '../values/read-value';

/** A type, and the texts that suggest it. Others may fit it, but do not suggest it. */
const CANDIDATES: readonly (readonly [ColumnType, (text: string) => boolean])[] = [
  ['boolean', (text) => /^(?:true|false)$/i.test(text)],
  ['integer', (text) => !isCode(text) && !/[eE]/.test(text)],
  // The type `number` does not keep the zeros of 1.50.
  ['number', (text) => !isCode(text) && !/[.,]\d*0$|[eE]/.test(text)],
  ['decimal', (text) => !isCode(text) && !/[eE]/.test(text)],
  ['date', () => true],
  // A time without an offset is no point in time: the user decides.
  ['datetime', (text) => /(?:z|[+-]\d{2}:?\d{2})$/i.test(text)],
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
  for (const [type, suggests] of CANDIDATES) {
    if (hasCode && (type === 'integer' || type === 'number' || type === 'decimal')) continue;
    const fits = (text: string): boolean =>
      readValue(text, { type, options: {} }, formats) !== undefined;
    const suggesting = texts.filter((text) => suggests(text) && fits(text)).length;
    const others = texts.filter((text) => !suggests(text) && fits(text)).length;
    const misfits = texts.length - suggesting - others;
    const isNearlyAll = misfits <= Math.max(1, texts.length / 10) && suggesting > misfits;
    // A value that fits the type but would lose its notation needs a wider type.
    if (isNearlyAll && others === 0) return type;
  }
  return 'text';
}
