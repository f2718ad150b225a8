import { CloseButton, Group, NativeSelect, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, type ReactNode } from 'react';
import { Loading } from '../../../common/loading';
import { Problem } from '../../../common/problem';
import { showNumber } from '../../../common/shown-number';
import { isTime } from '../../../common/shown-time';
import type { Column, Datagrid } from '../../../datagrids/datagrid';
import type { RowQuery } from '../../../datagrids/row-query';
import { gridText } from '../../../text/grid-text';
import type { LiveRows } from '../../data/changes/live-rows';
import { useReloadAfterChanges } from '../../data/changes/use-reload-after-changes';
import type { GridView } from '../filter/grid-view';
import { useLinkTitles } from '../../cells/links/link-context';
import { groupTitle, orderedGroups, summedColumns, type RowGroup } from './group';
import { groupsQuery, reloadGroups } from './group-calls';
import './groups.css';
import { bucketOf, DATE_BUCKETS } from './period';

export interface GroupsPanelProps {
  readonly datagrid: Datagrid;
  readonly column: Column;
  /** Visible columns in the order of display. */
  readonly visible: readonly Column[];
  /** Query of the rows of all groups. */
  readonly rowQuery: RowQuery;
  readonly live: LiveRows;
  readonly view: GridView;
  readonly onShow: (view: GridView) => void;
}

/** Lists the groups of the rows with counts and sums. A click shows only the rows of a group. */
export function GroupsPanel(props: GroupsPanelProps): ReactNode {
  const { column, view, onShow } = props;
  return (
    <section className="groups-panel" aria-labelledby="groups-title">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h5" id="groups-title">
          {gridText.groups.by(column.title)}
        </Title>
        <CloseButton
          aria-label={gridText.groups.close}
          onClick={() => {
            onShow({ ...view, groupBy: null, groupBucket: null, group: undefined });
          }}
        />
      </Group>
      {isTime(column.type) && <PeriodSelect {...props} />}
      <GroupList key={`${column.key} ${view.groupBucket ?? ''}`} {...props} />
    </section>
  );
}

/** Chooses the period of the groups, and shows all of them again. */
function PeriodSelect({ column, view, onShow }: GroupsPanelProps): ReactNode {
  const { groupBucket } = view;
  const { exact, period, periods } = gridText.groups;
  return (
    <NativeSelect
      size="xs"
      label={period}
      value={groupBucket ?? ''}
      data={[
        ...(groupBucket === null ? [{ value: '', label: exact }] : []),
        ...DATE_BUCKETS.map((value) => ({ value, label: periods[value] })),
      ]}
      onChange={({ currentTarget: { value } }) => {
        onShow({ ...view, groupBucket: bucketOf(column, value), group: undefined });
      }}
    />
  );
}

/** Loads and lists the groups. */
function GroupList(props: GroupsPanelProps): ReactNode {
  const { datagrid, column, visible, rowQuery, live, view } = props;
  const summed = summedColumns(visible, column.key);
  const { data, error, refetch } = useQuery({
    ...groupsQuery(datagrid.id, rowQuery, column.key, view.groupBucket, summed),
    placeholderData: keepPreviousData,
  });
  const reload = useCallback(() => reloadGroups(datagrid.id), [datagrid.id]);
  useReloadAfterChanges(live, reload);
  return (
    <>
      {error && (
        <Problem error={error} title={gridText.groups.failed} onRetry={() => void refetch()} />
      )}
      {!data && !error && <Loading />}
      {data && (
        <>
          {data.total === 0 && <Text size="sm">{gridText.groups.noRows}</Text>}
          {data.total > data.groups.length && (
            <Text size="sm">
              {gridText.groups.cut(
                data.groups.length.toLocaleString(),
                data.total.toLocaleString(),
              )}
            </Text>
          )}
          <GroupTable {...props} summed={summed} groups={orderedGroups(column, data.groups)} />
        </>
      )}
    </>
  );
}

interface GroupTableProps extends GroupsPanelProps {
  readonly summed: readonly Column[];
  readonly groups: readonly RowGroup[];
}

function GroupTable({ column, summed, groups, view, onShow }: GroupTableProps): ReactNode {
  const { group, groupBucket } = view;
  const titles = useLinkTitles();
  return (
    <div className="groups-list">
      <Table aria-labelledby="groups-title" stickyHeader highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Choice
                label={gridText.groups.all}
                isChosen={group === undefined}
                onChoose={() => {
                  onShow({ ...view, group: undefined });
                }}
              />
            </Table.Th>
            <Table.Th className="is-number">{gridText.groups.rows}</Table.Th>
            {summed.map(({ key, title }) => (
              <Table.Th key={key} className="is-number">
                {gridText.groups.sum(title)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ value, count, sums }) => (
            <Table.Tr key={JSON.stringify(value)}>
              <Table.Td>
                <Choice
                  label={groupTitle(column, value, groupBucket, titles)}
                  isChosen={value === group}
                  onChoose={() => {
                    onShow({ ...view, group: value });
                  }}
                />
              </Table.Td>
              <Table.Td className="is-number">{count.toLocaleString()}</Table.Td>
              {summed.map(({ key }, index) => (
                <Table.Td key={key} className="is-number">
                  {showNumber('number', sums[index] ?? '')}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ label, isChosen, onChoose }: ChoiceProps): ReactNode {
  return (
    <button
      type="button"
      className="group-choice"
      aria-pressed={isChosen}
      title={label}
      onClick={onChoose}
    >
      {label}
    </button>
  );
}
