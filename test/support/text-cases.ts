/** Bodies with an invalid name or description: title, body, expected detail. */
export const BAD_TEXTS: readonly [string, object, string][] = [
  ['an empty name', { name: '' }, 'name out_of_range'],
  ['a name of white space', { name: ' \t\n\u00a0' }, 'name out_of_range'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name out_of_range'],
  ['a name of 201 emoji', { name: '😀'.repeat(201) }, 'name out_of_range'],
  ['a number for a name', { name: 7 }, 'name wrong_type'],
  ['null for a name', { name: null }, 'name wrong_type'],
  ['a list for a name', { name: ['x'] }, 'name wrong_type'],
  ['an object for a name', { name: { length: 3 } }, 'name wrong_type'],
  [
    'a description of 2,001 characters',
    { name: 'Fine', description: 'x'.repeat(2_001) },
    'description out_of_range',
  ],
  ['null for a description', { name: 'Fine', description: null }, 'description wrong_type'],
  ['a number for a description', { name: 'Fine', description: 1 }, 'description wrong_type'],
  ['an unknown member', { name: 'Fine', colour: 'red' }, 'colour unknown_property'],
  [
    'a member that every object inherits',
    { name: 'Fine', toString: 'x' },
    'toString unknown_property',
  ],
];

/** Valid names: title, name as sent, name as stored. */
export const GOOD_NAMES: readonly [string, string, string][] = [
  ['one character', 'x', 'x'],
  ['white space around it', ' \t Räume\u00a0\n', 'Räume'],
  ['white space within', 'a  b', 'a  b'],
  ['200 characters', 'n'.repeat(200), 'n'.repeat(200)],
  ['200 emoji, 400 UTF-16 units', '😀'.repeat(200), '😀'.repeat(200)],
  // Each letter is folded to three code points of four bytes each: the longest key an index may
  // store.
  ['200 letters that normalising triples', '\u{1d164}'.repeat(200), '\u{1d164}'.repeat(200)],
  ['right-to-left text', 'مساحة', 'مساحة'],
];

/** Pairs of names that are equal, ignoring case. */
export const SAME_NAMES: readonly [string, string][] = [
  ['Sales', 'sALES'],
  ['Ärger', 'ärger'],
  ['ÉTÉ', 'été'],
  ['straße', 'STRASSE'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
  ['caf\u00e9', 'CAFE\u0301'],
  ['  Trimmed', 'trimmed '],
];

/** Bodies that are not JSON objects: title, text, expected detail. */
export const BAD_BODIES: readonly [string, string | undefined, string][] = [
  ['no body', undefined, 'body wrong_type'],
  ['a list', '[{"name":"x"}]', 'body wrong_type'],
  ['a string', '"name"', 'body wrong_type'],
  ['null', 'null', 'body wrong_type'],
  ['text that is not JSON', '{"name":', 'body malformed_json'],
  ['a key twice', '{"name":"x","name":"y"}', 'name duplicate_key'],
];
