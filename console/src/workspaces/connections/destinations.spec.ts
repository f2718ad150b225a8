import openapi from '../../../../docs/openapi.json';
import { DESTINATIONS, findDestination, placeOf, settingsOf, valuesOf } from './destinations';

const postgresql = findDestination('postgresql');
const duckdb = findDestination('duckdb');
const clickhouse = findDestination('clickhouse');
if (!postgresql || !duckdb || !clickhouse) throw new Error('A destination is missing.');

const SAVED = {
  host: 'warehouse.example',
  port: 5433,
  database: 'analytics',
  user: 'datagrid',
  schema: 'public',
  tls: false,
  caCertificate: null,
};

describe('the destinations of the console', () => {
  it('are those of the service', () => {
    const { type } = openapi.components.schemas.CreateConnection.properties;
    expect(DESTINATIONS.map((one) => one.type).toSorted()).toEqual(type.enum.toSorted());
  });

  it('send the values of a form as settings, and leave out empty fields', () => {
    const values = { host: ' warehouse.example ', port: '', database: 'analytics', tls: true };
    expect(settingsOf(postgresql, values)).toEqual({
      host: 'warehouse.example',
      database: 'analytics',
      tls: true,
    });
    expect(settingsOf(postgresql, { port: '5433' })).toEqual({ port: 5433 });
    // The service then chooses the port by `tls`.
    expect(settingsOf(clickhouse, valuesOf(clickhouse, {}))).toEqual({ tls: true });
  });

  it('send a port that is no number as text, so that the service names the field', () => {
    expect(settingsOf(postgresql, { port: '54x' })).toEqual({ port: '54x' });
    expect(settingsOf(postgresql, { port: '-1' })).toEqual({ port: '-1' });
  });

  it('show saved settings in a form, which sends them back unless the user changes them', () => {
    const values = valuesOf(postgresql, SAVED);
    expect(values).toMatchObject({ port: '5433', tls: false, caCertificate: '' });
    expect({ ...settingsOf(postgresql, values), caCertificate: null }).toEqual(SAVED);
  });

  it('show the default for a setting that is not saved', () => {
    expect(valuesOf(postgresql, { host: 'a' })).toMatchObject({ port: '5432', tls: true });
  });

  it('have a place in a few words, also if their type is not known', () => {
    expect(placeOf('postgresql', SAVED)).toBe('PostgreSQL, warehouse.example / analytics / public');
    expect(placeOf('clickhouse', SAVED)).toBe('ClickHouse, warehouse.example / analytics');
    expect(placeOf('duckdb', { file: 'sales' })).toBe('DuckDB file, sales');
    expect(placeOf('duckdb', {})).toBe('DuckDB file');
    expect(placeOf('other', { host: 'a' })).toBe('other');
  });
});
