import type { RowClassRules } from 'ag-grid-community';
import type { Column } from '../../../datagrids/datagrid';
import { CHOICE_COLORS } from '../../cells/choices/choice-color';
import type { KnownRow } from '../../cells/known-row';

/** Colors rows by the choice in a column. The grid reads the rules once, so they never change. */
export class RowColors {
  private key: string | undefined;
  private readonly places = new Map<unknown, number>();

  readonly rules: RowClassRules<KnownRow> = Object.fromEntries(
    Array.from({ length: CHOICE_COLORS }, (_, color) => [
      `choice-color-${color}`,
      ({ data }: { data?: KnownRow | undefined }) => this.colorOf(data) === color,
    ]),
  );

  /** Sets the column. Draw the rows again afterwards. */
  set(column: Column | undefined): void {
    this.key = column?.type === 'select' ? column.key : undefined;
    this.places.clear();
    column?.options.choices?.forEach((choice, place) => this.places.set(choice, place));
  }

  private colorOf(row: KnownRow | undefined): number | undefined {
    if (this.key === undefined || !row) return undefined;
    const place = this.places.get(row.values[this.key]);
    return place === undefined ? undefined : place % CHOICE_COLORS;
  }
}
