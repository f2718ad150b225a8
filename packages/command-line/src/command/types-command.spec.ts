import type { Column } from '@datagrid/client';
import { typesOf } from './types-command.ts';

const column = (key: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  ...{ key, title: key, type, required: false, unique: false, indexed: false, options: {} },
  ...more,
});

describe('the types of a datagrid', () => {
  const columns = [
    column('iata', 'text', { required: true, title: 'IATA code' }),
    column('size', 'select', { options: { choices: ['small', 'a "b"'] } }),
    column('tags', 'multiSelect', { options: { choices: ['x', 'y'] } }),
    column('many', 'select', {
      options: { choices: Array.from({ length: 31 }, (_, n) => String(n)) },
    }),
    column('open', 'boolean', { required: true, defaultValue: true }),
    column('n', 'integer'),
    column('x', 'number'),
    column('price', 'decimal', { title: 'Price' }),
    column('since', 'date'),
    column('at', 'datetime'),
    column('mail', 'email'),
    column('site', 'url'),
    column('more', 'json'),
    column('airline', 'link', { options: { datagridId: 'a' } }),
    column('airlines', 'multiLink', { options: { datagridId: 'a' } }),
    column('airlineName', 'lookup', { options: { link: 'airline', column: 'name' } }),
    column('airlineSizes', 'lookup', { options: { link: 'airlines', column: 'size' } }),
    column('hidden', 'lookup', { options: { link: 'airlines', column: 'no access' } }),
    column('flights', 'count', { title: 'Flights' }),
    column('no', 'autonumber'),
    column('by', 'createdBy'),
  ];
  const linked = new Map([
    ['airlineName', column('name', 'text')],
    ['airlineSizes', column('size', 'select', { options: { choices: ['s', 'm'] } })],
  ]);
  const printed = typesOf({ name: 'Airports', columns }, undefined, linked);
  const [read = '', input = '', replacement = ''] = printed.split(
    /\n(?=\/\*\* (?:Values of a new|All))/,
  );

  it('are those of values that are read', () => {
    expect(read).toBe(
      `/** Values of a row of "Airports", as they are read. Those without a value are absent. */
export interface Airports {
  /** IATA code */
  iata: string;
  size?: "small" | "a \\"b\\"";
  tags?: ("x" | "y")[];
  many?: string;
  open: boolean;
  n?: number;
  x?: number;
  /** Price: a decimal number, such as "1204.50" */
  price?: string;
  /** a date, such as "2026-11-21" */
  since?: string;
  /** a time in UTC, such as "2026-11-21T09:30:00.000Z" */
  at?: string;
  mail?: string;
  site?: string;
  more?: unknown;
  airline?: number;
  airlines?: number[];
  /** computed: leave it out of writes */
  readonly airlineName?: string;
  /** computed: leave it out of writes */
  readonly airlineSizes?: ("s" | "m")[];
  /** computed: leave it out of writes */
  readonly hidden?: unknown[];
  /** Flights: computed: leave it out of writes */
  readonly flights?: number;
  /** set by the service */
  readonly no?: number;
  /** ID of the key or user who created the row, set by the service */
  readonly by?: string;
}
`,
    );
  });

  it('are those of values of new rows, without default values and what the service sets', () => {
    expect(input).toMatch(/^\/\*\* .+ \*\/\nexport interface AirportsInput \{\n/);
    expect(input).toContain('  iata: string;\n');
    expect(input).toContain('  open?: boolean;\n');
    const never = [...input.matchAll(/^ {2}(\w+)\?: never;$/gm)].map(([, key]) => key);
    expect(never).toEqual(['airlineName', 'airlineSizes', 'hidden', 'flights', 'no', 'by']);
  });

  it('are those of replacements, with what the service has set, but not what it computes', () => {
    expect(replacement).toMatch(/^\/\*\* .+ \*\/\nexport interface AirportsReplacement \{\n/);
    expect(replacement).toContain('  open: boolean;\n');
    expect(replacement).toContain('  no?: number;\n');
    const never = [...replacement.matchAll(/^ {2}(\w+)\?: never;$/gm)].map(([, key]) => key);
    expect(never).toEqual(['airlineName', 'airlineSizes', 'hidden', 'flights']);
  });

  it.each([
    ['Flights of Zürich 2026', 'FlightsOfZurich2026'],
    ['2026', 'Datagrid2026'],
    ['機場', 'Datagrid'],
  ])('of %s has the name %s', (name, expected) => {
    expect(typesOf({ name, columns: [] })).toContain(`export interface ${expected} {\n}`);
  });

  it('cannot be ended by a title', () => {
    const columns = [column('a', 'text', { title: 'x */ }\nevil' })];
    const text = typesOf({ name: '*/ evil', columns }, 'Flight');
    expect(text).toContain('/** Values of a row of "* / evil", as they are read.');
    expect(text).toContain('export interface Flight {\n  /** x * / } evil */\n  a?: string;\n}\n');
    expect(text.match(/\*\//g)).toHaveLength(6);
  });
});
