import { keyFor } from './key-for';

describe('keyFor', () => {
  it('derives a valid key from a title', () => {
    expect(keyFor('Depth (m)')).toBe('depthM');
    expect(keyFor('  Größe in m²')).toBe('groEInM2');
    expect(keyFor('2024 sales')).toBe('sales');
    expect(keyFor('IATA')).toBe('iata');
    expect(keyFor('PLZ')).toBe('plz');
    expect(keyFor('Order ID')).toBe('orderId');
    expect(keyFor('ISO3166 code')).toBe('iso3166Code');
    expect(keyFor('iPhone N')).toBe('iPhoneN');
    expect(keyFor('名前')).toBe('');
    expect(keyFor('x'.repeat(80))).toMatch(/^[a-z][a-zA-Z0-9_]{0,62}$/);
  });
});
