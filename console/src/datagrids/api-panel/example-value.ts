import type { Column, JsonValue } from '../datagrid';

/** A value that the column takes. */
export function exampleValue({ key, type, options }: Column): JsonValue {
  const choice = options.choices?.[0] ?? '';
  switch (type) {
    case 'text':
      return `Some ${key}`;
    case 'integer':
      return 42;
    case 'number':
      return 12.5;
    case 'decimal':
      return '1204.50';
    case 'boolean':
      return true;
    case 'date':
      return '2026-11-21';
    case 'datetime':
      return '2026-11-21T09:30:00.000Z';
    case 'select':
      return choice;
    case 'multiSelect':
      return [choice];
    case 'email':
      return 'ada@example.com';
    case 'url':
      return 'https://example.com/';
    case 'json':
      return { source: 'example' };
  }
}
