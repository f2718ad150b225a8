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
  /**
   * Where values come from: users type them, they are ids of linked rows, the service computes them for each
   * read, or it sets and stores them.
   */
  readonly source: 'typed' | 'linked' | 'computed' | 'set';
  /** True if equal values can be found, so that they can be counted and grouped. */
  readonly isComparable: boolean;
  /** True if a column can treat values as equal that differ only in case. */
  readonly mayIgnoreCase: boolean;
  /** True if values are ids of users and keys. */
  readonly isAuthor: boolean;
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

/** What most types have in common. */
const PLAIN = {
  notation: 'text',
  isTrimmed: false,
  editor: 'line',
  inputMode: 'text',
  hasChoices: false,
  isNumeric: false,
  source: 'typed',
  isComparable: true,
  mayIgnoreCase: false,
  isAuthor: false,
  width: 'medium',
} as const;

/** What the types of numbers have in common. */
const NUMERIC = {
  ...PLAIN,
  notation: 'number',
  isTrimmed: true,
  inputMode: 'decimal',
  isNumeric: true,
  width: 'short',
  operators: ['equality', 'order', 'list', 'presence'],
} as const;

/** What the types have in common whose values the service computes. They are never typed. */
const COMPUTED = {
  ...PLAIN,
  notation: 'json',
  source: 'computed',
  isComparable: false,
  operators: [],
  // Examples have only values that can be written.
  example: () => 0,
} as const;

/** What the types have in common whose values name an author. */
const AUTHOR = {
  ...PLAIN,
  source: 'set',
  isAuthor: true,
  operators: ['equality', 'list', 'presence'],
  example: () => '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b01',
} as const;

/** The column types, in the order in which a form lists them. */
const DESCRIPTORS = {
  text: {
    ...PLAIN,
    editor: 'area',
    mayIgnoreCase: true,
    operators: ['search', 'equality', 'list', 'order', 'presence'],
    example: (key) => `Some ${key}`,
  },
  integer: { ...NUMERIC, example: () => 42 },
  number: { ...NUMERIC, example: () => 12.5 },
  decimal: { ...NUMERIC, notation: 'text', example: () => '1204.50' },
  boolean: {
    ...PLAIN,
    notation: 'boolean',
    isTrimmed: true,
    editor: 'choice',
    width: 'short',
    operators: ['equality', 'presence'],
    example: () => true,
  },
  date: {
    ...PLAIN,
    isTrimmed: true,
    placeholder: datagridsText.placeholders.date,
    width: 'short',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => '2026-11-21',
  },
  datetime: {
    ...PLAIN,
    isTrimmed: true,
    placeholder: datagridsText.placeholders.datetime,
    width: 'time',
    operators: ['equality', 'order', 'list', 'presence'],
    example: () => '2026-11-21T09:30:00.000Z',
  },
  select: {
    ...PLAIN,
    editor: 'choice',
    hasChoices: true,
    operators: ['equality', 'list', 'presence'],
    example: (_key, choice) => choice,
  },
  multiSelect: {
    ...PLAIN,
    notation: 'json',
    editor: 'choices',
    hasChoices: true,
    isComparable: false,
    operators: ['choice', 'presence'],
    example: (_key, choice) => [choice],
  },
  email: {
    ...PLAIN,
    placeholder: datagridsText.placeholders.email,
    inputMode: 'email',
    mayIgnoreCase: true,
    width: 'long',
    operators: ['search', 'equality', 'list', 'presence'],
    example: () => 'ada@example.com',
  },
  url: {
    ...PLAIN,
    placeholder: datagridsText.placeholders.url,
    inputMode: 'url',
    width: 'long',
    operators: ['search', 'equality', 'list', 'presence'],
    example: () => 'https://example.com/',
  },
  json: {
    ...PLAIN,
    notation: 'json',
    editor: 'area',
    isComparable: false,
    operators: ['presence'],
    example: () => ({ source: 'example' }),
  },
  link: {
    ...PLAIN,
    notation: 'number',
    isTrimmed: true,
    editor: 'rows',
    source: 'linked',
    operators: ['equality', 'list', 'presence'],
    example: () => 1,
  },
  multiLink: {
    ...PLAIN,
    notation: 'json',
    isTrimmed: true,
    editor: 'rows',
    source: 'linked',
    isComparable: false,
    operators: ['choice', 'presence'],
    example: () => [1, 2],
  },
  lookup: COMPUTED,
  count: COMPUTED,
  autonumber: {
    ...NUMERIC,
    inputMode: 'text',
    // It names a row, and is shown without separators.
    isNumeric: false,
    source: 'set',
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

/** Whether equal values of the type can be found, so that they can be counted and grouped. */
export const isComparable = (type: ColumnType): boolean => COLUMN_TYPES[type].isComparable;

/** Whether the service computes the values, so that they cannot be edited. */
export const isComputed = (type: ColumnType): boolean => COLUMN_TYPES[type].source === 'computed';

/** Whether values of the type are ids of rows of a datagrid. */
export const isLink = (type: ColumnType): boolean => COLUMN_TYPES[type].source === 'linked';

/** Whether the service computes or sets the values, so that they cannot be edited. */
export const isReadOnly = (type: ColumnType): boolean =>
  isComputed(type) || COLUMN_TYPES[type].source === 'set';

/** Whether values of the type are ids of users and keys. */
export const isAuthor = (type: ColumnType): boolean => COLUMN_TYPES[type].isAuthor;

/** Whether a column of the type can treat values as equal that differ only in case. */
export const mayIgnoreCase = (type: ColumnType): boolean => COLUMN_TYPES[type].mayIgnoreCase;

export const COLUMN_TYPE_NAMES = Object.keys(DESCRIPTORS) as readonly ColumnType[];

/** Types that a form changes a column to. */
export const CHANGEABLE_TYPES = COLUMN_TYPE_NAMES.filter(
  (type) => !isLink(type) && !isReadOnly(type),
);

const TYPE_LABELS: Readonly<Partial<Record<ColumnType, string>>> = datagridsText.typeLabels;

/** Returns the name of a type, as a form offers it. */
export const typeLabel = (type: ColumnType): string => TYPE_LABELS[type] ?? type;
