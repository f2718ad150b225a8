import type { ColumnType } from '../../datagrids/datagrid';

/** How a value is written, by type. */
export const PLACEHOLDERS: Readonly<Partial<Record<ColumnType, string>>> = {
  date: 'YYYY-MM-DD',
  datetime: 'YYYY-MM-DDThh:mm:ssZ',
  email: 'name@example.com',
  url: 'https://…',
};

/** The keyboard that a phone shows. */
export const INPUT_MODES: Readonly<
  Partial<Record<ColumnType, 'decimal' | 'email' | 'url' | 'text'>>
> = { number: 'decimal', decimal: 'decimal', email: 'email', url: 'url' };
