import { Menu } from '@mantine/core';
import type { IHeaderParams } from 'ag-grid-community';
import { useEffect, useState, type MouseEvent, type ReactNode } from 'react';
import { copyText } from '../../../common/copy-text';
import { IN_MAIN } from '../../../common/in-main';
import { isComputed } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { useColumnsOf } from '../../cells/choices/columns-of';
import type { SortDirection, SortKey } from '../../query/filter/grid-view';
import { moved, withColumn, type Layout } from '../columns/layout';
import { useColumnSelection } from '../ranges/column-selection';
import { ColumnTitle } from './column-title';
import { useGridActions } from './grid-actions';
import { GroupItems } from './group-items';
import { columnBeside, focusHeaderAfter } from './header-focus';
import { SummaryMenu } from './summary-items';

const t = gridText.header;

interface Props extends IHeaderParams {
  readonly of: Column;
}

/** Header of a column: a click on the title selects the column, and a menu has more actions. */
export function ColumnHeader({ api, eGridHeader, of: column }: Props): ReactNode {
  const { view, layout, arrange, sortBy, filterBy } = useGridActions();
  const columnsOf = useColumnsOf();
  const selectColumn = useColumnSelection(api);
  const [isOpen, setOpen] = useState(false);
  const place = view.sort.findIndex(({ key }) => key === column.key);
  const sort = view.sort[place];
  const order = view.sort.length > 1 ? String(place + 1) : '';
  const mark = `${sort?.isDescending ? '↓' : '↑'}${order}`;

  useEffect(() => {
    eGridHeader.setAttribute('aria-sort', ariaSort(sort));
  }, [eGridHeader, sort]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target !== eGridHeader || event.key !== 'Enter') return;
      if (event.altKey || event.ctrlKey) setOpen(true);
      else if (!isComputed(column.type)) sortBy(column.key, nextSort(sort), event.shiftKey);
    };
    eGridHeader.addEventListener('keydown', onKey);
    return () => {
      eGridHeader.removeEventListener('keydown', onKey);
    };
  }, [eGridHeader, column.key, column.type, sort, sortBy]);

  return (
    <div className="column-header">
      <ColumnTitle
        column={column}
        datagridId={columnsOf}
        onClick={(event) => {
          selectColumn(column.key, event.shiftKey);
        }}
      />
      {sort && (
        <button
          type="button"
          tabIndex={-1}
          className="column-header-menu column-header-sort"
          aria-label={t.sortOrder(column.title, mark)}
          onClick={(event: MouseEvent) => {
            sortBy(column.key, nextSort(sort), event.shiftKey);
          }}
        >
          {mark}
        </button>
      )}
      <Menu opened={isOpen} onChange={setOpen} position="bottom-end" portalProps={IN_MAIN}>
        <Menu.Target>
          <button
            type="button"
            tabIndex={-1}
            className="column-header-menu"
            aria-label={t.options(column.title)}
          >
            ⋮
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {column.key}: {column.type}
          </Menu.Label>
          {!isComputed(column.type) && (
            <>
              <Menu.Item
                onClick={() => {
                  sortBy(column.key, 'ascending', false);
                }}
              >
                {t.ascending}
              </Menu.Item>
              <Menu.Item
                onClick={() => {
                  sortBy(column.key, 'descending', false);
                }}
              >
                {t.descending}
              </Menu.Item>
              {view.sort.length > 0 && (
                <Menu.Item
                  onClick={() => {
                    sortBy(column.key, sort ? 'none' : 'ascending', true);
                  }}
                >
                  {sort ? t.clearSort : t.addSort}
                </Menu.Item>
              )}
              <Menu.Item
                onClick={() => {
                  filterBy(column.key);
                }}
              >
                {t.filter}
              </Menu.Item>
            </>
          )}
          <Menu.Divider />
          <GroupItems column={column} />
          <SummaryMenu column={column} />
          <Menu.Divider />
          <LayoutItems
            columnKey={column.key}
            layout={layout}
            onArrange={arrange}
            onHide={() => {
              const next = columnBeside(api, column.key);
              arrange(withColumn(layout, column.key, { hidden: true }));
              focusHeaderAfter(api, column.key, next);
            }}
          />
          <Menu.Divider />
          <Menu.Item onClick={() => void copyText(column.key)}>{t.copyKey}</Menu.Item>
          <ChangeItems columnKey={column.key} />
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** Items for users who may change columns. */
function ChangeItems({ columnKey }: { readonly columnKey: string }): ReactNode {
  const { changeColumn, removeColumn } = useGridActions();
  return (
    <>
      {changeColumn && (
        <Menu.Item
          onClick={() => {
            changeColumn(columnKey);
          }}
        >
          {t.change}
        </Menu.Item>
      )}
      {removeColumn && (
        <Menu.Item
          color="red.9"
          onClick={() => {
            removeColumn(columnKey);
          }}
        >
          {t.remove}
        </Menu.Item>
      )}
    </>
  );
}

interface LayoutItemsProps {
  readonly columnKey: string;
  readonly layout: Layout;
  readonly onArrange: (layout: Layout) => void;
  readonly onHide: () => void;
}

/** Items that move, pin and hide a column. */
function LayoutItems(props: LayoutItemsProps): ReactNode {
  const { columnKey, layout, onArrange, onHide } = props;
  const isPinned = layout.find(({ key }) => key === columnKey)?.pinned !== undefined;
  const move = (step: -1 | 1) => () => {
    onArrange(moved(layout, columnKey, step));
  };
  return (
    <>
      <Menu.Item onClick={move(-1)}>{gridText.layout.moveLeft}</Menu.Item>
      <Menu.Item onClick={move(1)}>{gridText.layout.moveRight}</Menu.Item>
      <Menu.Item
        onClick={() => {
          onArrange(withColumn(layout, columnKey, { pinned: isPinned ? undefined : 'left' }));
        }}
      >
        {isPinned ? gridText.layout.unpin : gridText.layout.pinLeft}
      </Menu.Item>
      <Menu.Item onClick={onHide}>{gridText.layout.hide}</Menu.Item>
    </>
  );
}

function nextSort(sort: SortKey | undefined): SortDirection {
  if (!sort) return 'ascending';
  return sort.isDescending ? 'none' : 'descending';
}

function ariaSort(sort: SortKey | undefined): SortDirection {
  if (!sort) return 'none';
  return sort.isDescending ? 'descending' : 'ascending';
}
