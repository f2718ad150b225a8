/** Values of a row, as `datagrid types` prints them. */
export interface Flight {
  number: string;
  seats?: number;
  note?: string;
}
