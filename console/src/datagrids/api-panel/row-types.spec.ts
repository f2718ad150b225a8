import ts from 'typescript';
import type { Column } from '../datagrid';
import { rowTypes } from './row-types';

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

  it('have a name even if that of the datagrid has no letters', () => {
    expect(rowTypes({ name: '数据', columns: [] })).toContain('export interface DatagridRow {');
  });
});
