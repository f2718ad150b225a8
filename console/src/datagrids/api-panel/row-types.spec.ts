import ts from 'typescript';
import type { Column } from '../datagrid';
import { COLUMN_TYPE_NAMES } from '../column-type';
import { rowTypes } from './row-types';

// The packages have their own compiler options.
const { typesOf } = jest.requireActual<{ typesOf: (datagrid: object) => string }>(
  '../../../../packages/command-line/src/command/types-command',
);

const column = (key: string, type: Column['type'], more: Partial<Column> = {}): Column => ({
  key,
  title: key,
  type,
  required: false,
  unique: false,
  indexed: false,
  options: {},
  ...more,
});

describe('the types of a datagrid', () => {
  it('have each column as the API returns it', () => {
    const printed = rowTypes({
      name: 'Airports of Europe',
      columns: [
        column('iata', 'text', { required: true, title: 'Code */ of IATA' }),
        column('size', 'integer'),
        column('price', 'decimal'),
        column('kind', 'select', { options: { choices: ['a"b', 'c'] } }),
        column('tags', 'multiSelect', { options: { choices: ['x', 'y'] } }),
        column('extra', 'json'),
      ],
    });
    expect(printed).toContain('export interface AirportsOfEuropeRow {');
    expect(printed).toContain('  iata: string;\n  size?: number;\n');
    expect(printed).toContain(
      '  kind?: "a\\"b" | "c";\n  tags?: ("x" | "y")[];\n  extra?: unknown;',
    );
    const { diagnostics } = ts.transpileModule(printed, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
  });

  it('separate values that are read from those that are written', () => {
    const printed = rowTypes({
      name: 'Planes',
      columns: [
        column('seats', 'integer', { required: true, defaultValue: 100 }),
        column('airlines', 'multiLink', { options: { datagridId: 'a' } }),
        column('names', 'lookup', { options: { link: 'airlines' } }),
        column('no', 'autonumber'),
      ],
    });
    const [, read, input, replacement] = printed.split('export interface Planes');
    expect(read).toMatch(
      /^Values \{\n {2}seats: number;\n {2}airlines\?: number\[\];\n.+\n {2}readonly names\?: unknown\[\];\n.+\n {2}readonly no\?: number;\n\}/,
    );
    expect(input).toMatch(
      /^Input \{\n {2}seats\?: number;\n {2}airlines\?: number\[\];\n {2}names\?: never;\n {2}no\?: never;\n\}/,
    );
    expect(replacement).toMatch(
      /^Replacement \{\n {2}seats: number;\n {2}airlines\?: number\[\];\n {2}names\?: never;\n.+\n {2}no\?: number;\n\}/,
    );
  });

  it('are those that the command line prints', () => {
    const columns = COLUMN_TYPE_NAMES.map((type) =>
      column(type, type, {
        required: type === 'text',
        title: `Title of ${type}`,
        ...(type === 'select' && { options: { choices: ['a', 'b'] }, defaultValue: 'a' }),
        ...(type === 'lookup' && { options: { link: 'multiLink' } }),
      }),
    );
    const members = (text: string): string[] =>
      [...text.matchAll(/export interface \w+ (\{[^}]*\})/g)].map(([, body = '']) => body);
    const ours = members(rowTypes({ name: 'Planes', columns }));
    expect(ours.slice(0, 3)).toEqual(members(typesOf({ name: 'Planes', columns })));
    expect(ours[2]).toContain('multiLink?: number[];');
  });

  it('have a name even if that of the datagrid has no letters', () => {
    expect(rowTypes({ name: '数据', columns: [] })).toContain('export interface DatagridRow {');
  });
});
