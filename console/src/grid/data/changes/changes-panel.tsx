import { Anchor, Badge, CloseButton, Group, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { GridApi } from 'ag-grid-community';
import { useSyncExternalStore, type ReactNode } from 'react';
import { messageOf } from '../../../api/api-error';
import { formatDateAndTime, formatTime } from '../../../common/time';
import type { Datagrid } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { useLinkTitles } from '../../cells/links/link-context';
import { rowIndex } from '../loading/row-index';
import { shownCells, type ListedChange } from './change';
import type { LiveRows } from './live-rows';
import { useAuthorName } from './use-author-name';

const t = gridText.changes;

/** Id of the button that opens the list and gets the focus back. */
export const CHANGES_BUTTON = 'changes-button';

export interface ChangesPanelProps {
  readonly datagrid: Datagrid;
  readonly live: LiveRows;
  readonly api: GridApi<KnownRow> | undefined;
  /** True for the view of all rows in the order of their ids. */
  readonly isPlain: boolean;
  /** Scrolls to the row at an index, from 0. */
  readonly onGo: (index: number) => void;
  /** Opens the history of a row, also of a deleted one. */
  readonly onHistory: (rowId: number) => void;
  readonly onClose: () => void;
}

/** Lists the changes since the page was opened, newest first. */
export function ChangesPanel(props: ChangesPanelProps): ReactNode {
  const { datagrid, live, api, isPlain, onGo, onHistory, onClose } = props;
  const nameOf = useAuthorName(true);
  const changes = useSyncExternalStore(live.subscribe, live.changes);
  const go = useMutation({
    mutationFn: async (rowId: number) => {
      const index = await rowIndex(rowId, datagrid.id, api, isPlain);
      if (index === undefined) throw new Error(t.notLoaded(rowId));
      onGo(index);
    },
  });
  return (
    <section className="changes-panel" aria-labelledby="changes-title">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h5" id="changes-title">
          {t.title}
        </Title>
        <CloseButton
          aria-label={t.close}
          onClick={() => {
            onClose();
            document.getElementById(CHANGES_BUTTON)?.focus();
          }}
        />
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {go.error ? messageOf(go.error) : t.hint}
      </Text>
      {changes.length === 0 ? (
        <Text size="sm">{t.none}</Text>
      ) : (
        <div className="changes-list-area">
          <ul
            className="plain-list changes-list"
            // Without a focusable row, the keyboard must reach the list to scroll it.
            tabIndex={0}
            aria-label={t.label}
          >
            {changes.map((change) => (
              <li key={change.key} className="change">
                <ChangeItem
                  change={change}
                  columns={datagrid.columns}
                  author={nameOf(change.by)}
                  onGo={(rowId) => {
                    go.mutate(rowId);
                  }}
                  onHistory={onHistory}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

const COLORS = {
  added: 'green',
  changed: 'indigo',
  deleted: 'red',
  columns: 'gray',
} as const;

interface ChangeItemProps {
  readonly change: ListedChange;
  readonly columns: Datagrid['columns'];
  readonly author: string | undefined;
  readonly onGo: (rowId: number) => void;
  readonly onHistory: (rowId: number) => void;
}

function ChangeItem(props: ChangeItemProps): ReactNode {
  const { change: listed, columns, author, onGo, onHistory } = props;
  const { kind, rowId, at } = listed;
  const titles = useLinkTitles();
  const { cells, others, isWhole } = shownCells(listed, columns, titles);
  const { empty, change } = gridText.values;
  return (
    <>
      <Group gap="xs">
        <Badge variant="light" color={COLORS[kind]}>
          {t.kinds[kind]}
        </Badge>
        {rowId !== null &&
          (kind === 'deleted' ? (
            <Text size="sm">{t.row(rowId)}</Text>
          ) : (
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => {
                onGo(rowId);
              }}
            >
              {t.row(rowId)}
            </Anchor>
          ))}
        {rowId !== null && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            ms="auto"
            aria-label={gridText.history.title(rowId)}
            onClick={() => {
              onHistory(rowId);
            }}
          >
            {gridText.history.open}
          </Anchor>
        )}
      </Group>
      {isWhole && (
        <Text size="xs" c="dimmed">
          {t.whole}
        </Text>
      )}
      {cells.length > 0 && (
        <dl className="change-cells">
          {cells.map(({ title, value, before, exact }) => (
            <div key={title}>
              <dt>{title}: </dt>
              <dd title={exact}>
                {before === undefined ? value || empty : change(before || empty, value || empty)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {others > 0 && <Text size="xs">{t.others(others)}</Text>}
      <Text size="xs" c="dimmed">
        {author !== undefined && gridText.authors.before(author)}
        {at !== undefined && (
          <time dateTime={at} title={formatDateAndTime(at)}>
            {formatTime(at)}
          </time>
        )}
      </Text>
    </>
  );
}
