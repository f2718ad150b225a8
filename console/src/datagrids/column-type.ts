import { VERBATIM } from '../common/verbatim';
import { datagridsText } from '../text/datagrids-text';

/** Group of filter operators. `grid/query/filter/condition.ts` lists the operators of each group. */
export type OperatorGroup = 'search' | 'equality' | 'list' | 'order' | 'choice' | 'presence';

/** Properties of a column type in the console. */
interface ColumnTypeDescriptor {
  /** Notation of a value in the console: text, or JSON of a kind. */
  readonly notation: 'text' | 'number' | 'boolean' | 'json';
  /** True if spaces around an input are ignored. Otherwise they are sent, and the service checks them. */
  readonly isTrimmed: boolean;
  /** Kind of input: a line or an area of text, one choice, several choices, or linked rows. */
  readonly editor: 'line' | 'area' | 'choice' | 'choices' | 'rows';
  /** Example of the format, for an empty field. */
  readonly placeholder?: string;
  /** Keyboard of a phone. */
  readonly inputMode: 'text' | 'decimal' | 'email' | 'url';
  /** True if a column of the type needs `options.choices`. */
  readonly hasChoices: boolean;
  readonly isNumeric: boolean;
  /** Minimum width of a column in the grid. */
  readonly width: 'short' | 'medium' | 'long' | 'time';
  /** Filter operators, the most common first. */
  readonly operators: readonly OperatorGroup[];
  /** Returns a value for examples. `choice` is the column's first choice. */
  readonly example: (key: string, choice: string) => ExampleValue;
}

type ExampleValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | Readonly<Record<string, string>>;

/** What the types have in common whose values the service computes. They are never typed. */
const COMPUTED = {
  notation: 'json',
  isTrimmed: false,
  editor: 'line',
  inputMode: 'text',
  hasChoices: false,
  isNumeric: false,
  width: 'medium',
  operators: [],
  // Examples have only values that can be written.
  example: () => 0,
} as const;

/** What the types have in common whose values name an author. */
const AUTHOR: ColumnTypeDescriptor = {
  ...COMPUTED,
  notation: 'text',
  operators: ['equality', 'list', 'presence'],
  example: () => '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b01',
};

/** The column types, in the order in which a form lists them. */
const DESCRIPTORS = {
  text: {
    notation: 'text',
    isTrimmed: false,
    editor: 'area',
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'medium',
    operators: ['search', 'equality', 'list', 'order', 'presence'],
    example: (key) => `Some ${key}`,
  },
  integer: {
    notation: 'number',
    isTrimmed: true,
    editor: 'line',
    inputMode: 'decimal',
    hasChoices: false,
    isNumeric: true,
    width: 'short',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => 42,
  },
  number: {
    notation: 'number',
    isTrimmed: true,
    editor: 'line',
    inputMode: 'decimal',
    hasChoices: false,
    isNumeric: true,
    width: 'short',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => 12.5,
  },
  decimal: {
    notation: 'text',
    isTrimmed: true,
    editor: 'line',
    inputMode: 'decimal',
    hasChoices: false,
    isNumeric: true,
    width: 'short',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => '1204.50',
  },
  boolean: {
    notation: 'boolean',
    isTrimmed: true,
    editor: 'choice',
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'short',
    operators: ['equality', 'presence'],
    example: () => true,
  },
  date: {
    notation: 'text',
    isTrimmed: true,
    editor: 'line',
    placeholder: datagridsText.placeholders.date,
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'short',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => '2026-11-21',
  },
  datetime: {
    notation: 'text',
    isTrimmed: true,
    editor: 'line',
    placeholder: datagridsText.placeholders.datetime,
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'time',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => '2026-11-21T09:30:00.000Z',
  },
  select: {
    notation: 'text',
    isTrimmed: false,
    editor: 'choice',
    inputMode: 'text',
    hasChoices: true,
    isNumeric: false,
    width: 'medium',
    operators: ['equality', 'list', 'presence'],
    example: (_key, choice) => choice,
  },
  multiSelect: {
    notation: 'json',
    isTrimmed: false,
    editor: 'choices',
    inputMode: 'text',
    hasChoices: true,
    isNumeric: false,
    width: 'medium',
    operators: ['choice', 'presence'],
    example: (_key, choice) => [choice],
  },
  email: {
    notation: 'text',
    isTrimmed: false,
    editor: 'line',
    placeholder: datagridsText.placeholders.email,
    inputMode: 'email',
    hasChoices: false,
    isNumeric: false,
    width: 'long',
    operators: ['search', 'equality', 'list', 'presence'],
    example: () => 'ada@example.com',
  },
  url: {
    notation: 'text',
    isTrimmed: false,
    editor: 'line',
    placeholder: datagridsText.placeholders.url,
    inputMode: 'url',
    hasChoices: false,
    isNumeric: false,
    width: 'long',
    operators: ['search', 'equality', 'list', 'presence'],
    example: () => 'https://example.com/',
  },
  json: {
    notation: 'json',
    isTrimmed: false,
    editor: 'area',
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'medium',
    operators: ['presence'],
    example: () => ({ source: 'example' }),
  },
  link: {
    notation: 'number',
    isTrimmed: true,
    editor: 'rows',
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'medium',
    operators: ['equality', 'list', 'presence'],
    example: () => 1,
  },
  multiLink: {
    notation: 'json',
    isTrimmed: true,
    editor: 'rows',
    inputMode: 'text',
    hasChoices: false,
    isNumeric: false,
    width: 'medium',
    operators: ['choice', 'presence'],
    example: () => [1, 2],
  },
  lookup: COMPUTED,
  count: COMPUTED,
  autonumber: {
    notation: 'number',
    isTrimmed: true,
    editor: 'line',
    inputMode: 'text',
    hasChoices: false,
    // It names a row, and is shown without separators.
    isNumeric: false,
    width: 'short',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => 1,
  },
  createdBy: AUTHOR,
  updatedBy: AUTHOR,
} satisfies Record<string, ColumnTypeDescriptor>;

export type ColumnType = keyof typeof DESCRIPTORS;

export const COLUMN_TYPES: Readonly<Record<ColumnType, ColumnTypeDescriptor>> = DESCRIPTORS;

/**
 * Returns the attributes of a field for a value: the keyboard of a phone, which changes only the letters of
 * texts. The keyboard of an iPhone for decimals has no minus.
 */
export function keyboardOf(type: ColumnType): ValueKeyboard {
  if (type === 'text') return {};
  const { inputMode } = COLUMN_TYPES[type];
  const isShort = inputMode === 'decimal' && /iPhone|iPod/.test(navigator.userAgent);
  return { inputMode: isShort ? 'text' : inputMode, ...VERBATIM };
}

type ValueKeyboard = Partial<typeof VERBATIM & Pick<ColumnTypeDescriptor, 'inputMode'>>;

/** Types whose values are ids of rows of a datagrid. */
const IS_LINK: readonly ColumnType[] = ['link', 'multiLink'];

/** Whether equal values of the type can be found, so that they can be counted and grouped. */
export const isComparable = (type: ColumnType): boolean =>
  !['multiSelect', 'multiLink', 'json', 'lookup', 'count'].includes(type);

/** Whether the service computes the values, so that they cannot be edited. */
export const isComputed = (type: ColumnType): boolean => type === 'lookup' || type === 'count';

export const isLink = (type: ColumnType): boolean => IS_LINK.includes(type);

/** Types whose values the service sets and stores. */
const IS_SET: readonly ColumnType[] = ['autonumber', 'createdBy', 'updatedBy'];

/** Whether the service computes or sets the values, so that they cannot be edited. */
export const isReadOnly = (type: ColumnType): boolean => isComputed(type) || IS_SET.includes(type);

/** Whether values of the type are ids of users and keys. */
export const isAuthor = (type: ColumnType): boolean => type === 'createdBy' || type === 'updatedBy';

/** Whether a column of the type can treat values as equal that differ only in case. */
export const mayIgnoreCase = (type: ColumnType): boolean => type === 'text' || type === 'email';

export const COLUMN_TYPE_NAMES = Object.keys(DESCRIPTORS) as readonly ColumnType[];

/** Types that a form changes a column to. */
export const CHANGEABLE_TYPES = COLUMN_TYPE_NAMES.filter(
  (type) => !isLink(type) && !isReadOnly(type),
);

const TYPE_LABELS: Readonly<Partial<Record<ColumnType, string>>> = datagridsText.typeLabels;

/** Returns the name of a type, as a form offers it. */
export const typeLabel = (type: ColumnType): string => TYPE_LABELS[type] ?? type;
