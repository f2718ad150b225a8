import type { Column } from '@datagrid/client';
import { interfaceOf } from './types-command.ts';

const column = (key: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  ...{ key, title: key, type, required: false, unique: false, indexed: false, options: {} },
  ...more,
});

describe('the interface of a datagrid', () => {
  it('has a property for each column', () => {
    const columns = [
      column('iata', 'text', { required: true, title: 'IATA code' }),
      column('size', 'select', { options: { choices: ['small', 'a "b"'] } }),
      column('tags', 'multiSelect', { options: { choices: ['x', 'y'] } }),
      column('many', 'select', {
        options: { choices: Array.from({ length: 31 }, (_, n) => String(n)) },
      }),
      column('open', 'boolean'),
      column('n', 'integer'),
      column('x', 'number'),
      column('price', 'decimal', { title: 'Price' }),
      column('since', 'date'),
      column('at', 'datetime'),
      column('mail', 'email'),
      column('site', 'url'),
      column('more', 'json'),
      column('airline', 'link', { options: { datagridId: 'a' } }),
      column('airlineName', 'lookup', { options: { link: 'airline', column: 'name' } }),
      column('flights', 'count', { title: 'Flights' }),
    ];
    expect(interfaceOf({ name: 'Airports', columns })).toBe(
      `/** Values of a row of "Airports". Those without a value are absent. */
export interface Airports {
  /** IATA code */
  iata: string;
  size?: "small" | "a \\"b\\"";
  tags?: ("x" | "y")[];
  many?: string;
  open?: boolean;
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
  /** computed: leave it out of writes */
  readonly airlineName?: unknown;
  /** Flights: computed: leave it out of writes */
  readonly flights?: number;
}
`,
    );
  });

  it.each([
    ['Flights of Zürich 2026', 'FlightsOfZurich2026'],
    ['2026', 'Datagrid2026'],
    ['機場', 'Datagrid'],
  ])('of %s has the name %s', (name, expected) => {
    expect(interfaceOf({ name, columns: [] })).toContain(`export interface ${expected} {\n}`);
  });

  it('cannot be ended by a title', () => {
    const columns = [column('a', 'text', { title: 'x */ }\nevil' })];
    const text = interfaceOf({ name: '*/ evil', columns }, 'Flight');
    expect(text).toBe(
      '/** Values of a row of "* / evil". Those without a value are absent. */\nexport interface Flight {\n  /** x * / } evil */\n  a?: string;\n}\n',
    );
  });
});
