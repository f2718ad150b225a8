import { Alert, Button, Popover, VisuallyHidden } from '@mantine/core';
import type { GridApi } from 'ag-grid-community';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { AttemptKey } from '../../../api/attempt-key';
import { Form } from '../../../common/form';
import { IN_MAIN } from '../../../common/in-main';
import { COLUMN_TYPES, type ColumnType } from '../../../datagrids/column-type';
import {
  draftChoices,
  draftProblems,
  EMPTY_DRAFT,
  withType,
  type ColumnDraft,
} from '../../../datagrids/columns/column-draft';
import { ShortColumnFields } from '../../../datagrids/columns/short-column-fields';
import type { Column, Datagrid } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { firstValueColumn, focusNewRow } from '../focus/focus-cell';
import { ID_COLUMN_ID } from './column-ids';
import { useAddedColumns, type AddedColumns, type TypedColumn } from './use-added-columns';

const t = gridText.columns;

/** Distance of the form from the edges of the page, in pixels. */
const EDGE = 16;

/** A form that is longer than the page scrolls, and its buttons stay in view. */
const FIT = {
  padding: EDGE,
  apply: ({ availableHeight, elements }: FitState): void => {
    elements.floating.style.maxHeight = `${String(Math.floor(availableHeight))}px`;
  },
};

interface FitState {
  readonly availableHeight: number;
  readonly elements: { readonly floating: HTMLElement };
}

export interface AddColumnsProps {
  readonly datagrid: Datagrid;
  readonly api: GridApi<KnownRow> | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A short form that stays open for the next column. It is not part of the header, which the grid
 * removes once new columns have moved it out of view.
 */
export function AddColumns(props: AddColumnsProps): ReactNode {
  const { datagrid, api, isOpen, onClose } = props;
  const columns = useAddedColumns(datagrid.id);
  const count = datagrid.columns.length;
  const place = useButtonPlace(api, isOpen);
  useEffect(() => {
    // A new column is beside the ids.
    if (isOpen) api?.ensureColumnVisible(ID_COLUMN_ID);
  }, [isOpen, count, api]);
  const close = (): void => {
    onClose();
    if (!api) return;
    const isReady = api.getDisplayedRowCount() === 0 && api.getPinnedBottomRowCount() > 0;
    const first = isReady ? firstValueColumn(api) : undefined;
    if (first !== undefined) {
      // The next step is the first row.
      focusNewRow(api, first);
      return;
    }
    api.ensureColumnVisible(ID_COLUMN_ID);
    api.setFocusedHeader(ID_COLUMN_ID);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={(isNowOpen) => {
        if (!isNowOpen) close();
      }}
      // Beside the rows if there is room, so that it does not hide the last line.
      position="bottom-start"
      middlewares={{ shift: { padding: EDGE }, flip: { padding: EDGE }, size: FIT }}
      width={304}
      trapFocus
      // The target is not a button.
      withRoles={false}
      portalProps={IN_MAIN}
    >
      <Popover.Target>
        <span className="add-columns-place" ref={place} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t.add} className="add-columns-form">
        <AddForm datagrid={datagrid} columns={columns} onClose={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Events after which the headers are elsewhere. */
const MOVES = ['bodyScroll', 'displayedColumnsChanged', 'gridSizeChanged'] as const;

/**
 * Keeps an element over the button in the header of the ids, within the grid: after events of the
 * grid, and after its headers have changed or moved to their places.
 * @returns the reference of the element.
 */
function useButtonPlace(
  api: GridApi<KnownRow> | undefined,
  isOpen: boolean,
): RefObject<HTMLSpanElement | null> {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    const area = current?.parentElement;
    const headers = area?.querySelector('.ag-header');
    if (!current || !area || !headers || !api || !isOpen) return undefined;
    const follow = (): void => {
      const button = area.querySelector(`.ag-header-cell[col-id="${ID_COLUMN_ID}"] button`);
      if (button) cover(current, button, area);
    };
    follow();
    for (const event of MOVES) api.addEventListener(event, follow);
    headers.addEventListener('transitionend', follow);
    const observer = new MutationObserver(follow);
    observer.observe(headers, { subtree: true, childList: true, attributeFilter: ['style'] });
    return () => {
      if (!api.isDestroyed()) for (const event of MOVES) api.removeEventListener(event, follow);
      headers.removeEventListener('transitionend', follow);
      observer.disconnect();
    };
  }, [api, isOpen]);
  return place;
}

/** Puts an element over a button, or at the edge of the area beyond which the button is. */
function cover(element: HTMLElement, button: Element, area: Element): void {
  const from = area.getBoundingClientRect();
  const { left, top, width, height } = button.getBoundingClientRect();
  const x = Math.min(Math.max(0, left - from.left), from.width - width);
  const sides = { left: x, top: top - from.top, width, height };
  for (const [side, length] of Object.entries(sides)) {
    element.style.setProperty(side, `${String(length)}px`);
  }
}

interface AddFormProps {
  readonly datagrid: Datagrid;
  readonly columns: AddedColumns;
  readonly onClose: () => void;
}

const newColumn = (type: ColumnType, columns: readonly Column[]): TypedColumn => ({
  draft: withType(EMPTY_DRAFT, type, columns),
  attempt: new AttemptKey(),
});

/** What the form can tell without the server. */
function problemsOf(draft: ColumnDraft): Readonly<Record<string, string>> {
  const lacksChoices = COLUMN_TYPES[draft.type].hasChoices && draftChoices(draft).length === 0;
  return {
    ...(draft.title.trim() === '' && { title: t.noTitle }),
    ...(lacksChoices && { 'options.choices': t.noChoices }),
    ...draftProblems(draft),
  };
}

function AddForm({ datagrid, columns, onClose }: AddFormProps): ReactNode {
  const { pending, failed, send, take } = columns;
  const [column, setColumn] = useState(() => newColumn('text', datagrid.columns));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>();
  const form = useRef<HTMLDivElement>(null);
  const { draft } = column;
  const focusTitle = (): void => form.current?.querySelector('input')?.focus();
  return (
    <div ref={form}>
      {failed.map((one, at) => (
        <Alert key={at} color="red" mb="sm" title={t.notAdded(one.draft.title)}>
          {one.message}{' '}
          <Button
            size="compact-xs"
            variant="default"
            // What is typed for the next column must not get lost.
            disabled={draft.title !== ''}
            onClick={() => {
              take(one);
              setColumn(one);
              setProblems(undefined);
              focusTitle();
            }}
          >
            {t.changeFailed}
          </Button>
        </Alert>
      ))}
      <Form
        submitLabel={t.addOne}
        cancelLabel={t.done}
        isPending={false}
        error={problems}
        problem={undefined}
        onCancel={onClose}
        onSubmit={() => {
          const found = problemsOf(draft);
          const isReady = Object.keys(found).length === 0;
          setProblems(isReady ? undefined : found);
          if (!isReady) return;
          send(column);
          // What is typed from now on belongs to the next column.
          setColumn(newColumn(draft.type, datagrid.columns));
          focusTitle();
        }}
      >
        <ShortColumnFields
          draft={draft}
          home={datagrid}
          errors={problems ?? {}}
          onChange={(next: ColumnDraft) => {
            setColumn({ ...column, draft: next });
            setProblems(undefined);
          }}
        />
        <VisuallyHidden role="status">{pending > 0 && t.adding(pending)}</VisuallyHidden>
      </Form>
    </div>
  );
}
