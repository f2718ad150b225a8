import type { SharedColumn } from '../api/shared-rows';
import { linkAddress } from '../common/link-address';
import { showNumber } from '../common/shown-number';
import { isTime, showTime } from '../common/shown-time';
import { sharedViewText } from '../text/shared-view-text';
import { element } from './element';

/** Longer texts are folded. */
const MAX_OPEN_CHARACTERS = 200;

const NUMERIC: ReadonlySet<string> = new Set(['integer', 'number', 'decimal']);

/** Returns the content of a cell. */
export function cellOf({ type }: SharedColumn, value: unknown): (Node | string)[] {
  if (value === undefined || value === null) return [];
  if (type === 'json') return folded(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((choice) => chip(String(choice)));
  if (typeof value === 'boolean') return [checkbox(value)];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'select') return [chip(text)];
  if (isTime(type)) return [timeOf(type, text)];
  if (NUMERIC.has(type)) return [showNumber(type, text)];
  if (type === 'url' || type === 'email') return [linkOf(text, type)];
  return folded(text);
}

const chip = (text: string): Node => element('span', { className: 'chip' }, text);

function checkbox(isOn: boolean): Node {
  const label = element(
    'span',
    { className: 'visually-hidden' },
    isOn ? sharedViewText.yes : sharedViewText.no,
  );
  const mark = isOn ? '✓' : '–';
  return element('span', {}, element('span', { ariaHidden: 'true' }, mark), label);
}

/** Returns a date or time for the reader, with the exact text as its title. */
function timeOf(type: string, text: string): Node {
  return element('time', { dateTime: text, title: text }, showTime(type, text));
}

/** Returns the text itself if it is no address. */
function linkOf(text: string, type: 'url' | 'email'): Node | string {
  const href = linkAddress(type, text);
  if (href === undefined) return text;
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, text);
}

function folded(text: string): (Node | string)[] {
  const characters = Array.from(text.slice(0, 2 * MAX_OPEN_CHARACTERS));
  if (characters.length <= MAX_OPEN_CHARACTERS) return [text];
  const start = characters.slice(0, MAX_OPEN_CHARACTERS).join('');
  return [element('details', {}, element('summary', {}, `${start}…`), text)];
}
