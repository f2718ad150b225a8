import { Menu } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { GridApi } from 'ag-grid-community';
import { useCallback, type ReactNode } from 'react';
import { messageOf } from '../../../api/api-error';
import { IN_MAIN } from '../../../common/in-main';
import type { Datagrid } from '../../../datagrids/datagrid';
import type { RowQuery } from '../../../datagrids/row-query';
import { gridText } from '../../../text/grid-text';
import type { LiveRows } from '../../data/changes/live-rows';
import { useReloadAfterChanges } from '../../data/changes/use-reload-after-changes';
import { useColumnPlaces, type ColumnPlace } from './column-places';
import { MAX_SUMMARIES, shownSummary, type SummarizedColumn } from '../columns/summary';
import './summary-bar.css';
import { SummaryItems } from '../header/summary-items';
import { reloadSummaries, resultName, summariesQuery } from './summary-query';

const t = gridText.summaries;

export interface SummaryBarProps {
  readonly datagrid: Datagrid;
  readonly rowQuery: RowQuery;
  /** Columns with a function. There is at least one. */
  readonly summarized: readonly SummarizedColumn[];
  readonly api: GridApi | undefined;
  readonly live: LiveRows;
}

/** A line below the grid with the results of functions for all rows of the view, each below its column. */
export function SummaryBar(props: SummaryBarProps): ReactNode {
  const { datagrid, rowQuery, summarized, api, live } = props;
  const { left, middle, right, scrolled } = useColumnPlaces(api);
  const { data, error } = useQuery({
    ...summariesQuery(datagrid.id, rowQuery, summarized.slice(0, MAX_SUMMARIES)),
    placeholderData: keepPreviousData,
  });
  const reload = useCallback(() => reloadSummaries(datagrid.id), [datagrid.id]);
  useReloadAfterChanges(live, reload);

  const textOf = (one: SummarizedColumn): string => {
    if (error) return t.failed;
    // While another function is computed, `data` has the earlier results.
    const name = resultName(one);
    return data && name in data ? shownSummary(one, data[name]) : '…';
  };
  const cells = (places: readonly ColumnPlace[]): ReactNode =>
    places.map((place) => {
      const one = summarized.find(({ column }) => column.key === place.key);
      return (
        one && (
          <SummaryCell
            key={place.key}
            of={one}
            place={place}
            text={textOf(one)}
            title={error ? messageOf(error) : (data?.[resultName(one)]?.toString() ?? textOf(one))}
            onFocus={() => api?.ensureColumnVisible(place.key)}
          />
        )
      );
    });
  return (
    <div role="group" className="summary-bar" aria-label={t.label}>
      <div className="summary-part" style={{ width: widthOf(left) }}>
        {cells(left)}
      </div>
      <div className="summary-part" data-middle>
        <div style={{ transform: `translateX(${String(-scrolled)}px)` }}>{cells(middle)}</div>
      </div>
      <div className="summary-part" style={{ width: widthOf(right) }}>
        {cells(right)}
      </div>
    </div>
  );
}

interface SummaryCellProps {
  readonly of: SummarizedColumn;
  readonly place: ColumnPlace;
  readonly text: string;
  /** The exact result. */
  readonly title: string;
  readonly onFocus: () => void;
}

function SummaryCell(props: SummaryCellProps): ReactNode {
  const { of, place, text, title, onFocus } = props;
  const { column, summary } = of;
  const { left, width } = place;
  const name = t.short[summary];
  return (
    <Menu position="top-end" portalProps={IN_MAIN}>
      <Menu.Target>
        <button
          type="button"
          className="summary-cell"
          style={{ left, width }}
          aria-label={t.result(column.title, name, text)}
          title={title}
          onFocus={onFocus}
        >
          <span className="summary-name">{name}</span> <span className="summary-value">{text}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <SummaryItems column={column} />
      </Menu.Dropdown>
    </Menu>
  );
}

const widthOf = (places: readonly ColumnPlace[]): number =>
  places.reduce((sum, { width }) => sum + width, 0);
