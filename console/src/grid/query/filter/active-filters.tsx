import { Button, Group, Pill } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { quoted } from '../../../text/words';
import { useLinkTitles } from '../../cells/links/link-context';
import type { LinkTitles } from '../../cells/links/link-titles';
import { groupTitle } from '../groups/group';
import type { DateBucket } from '../groups/period';
import { OPERATOR_LABELS, takesNoValue } from './condition';
import { withPart } from './edit-group';
import { isCondition, isGroup, type FilterPart } from './filter-group';
import { ALL_ROWS, type GridView } from './grid-view';

const t = gridText.active;

export interface ActiveFiltersProps {
  readonly columns: readonly Column[];
  readonly view: GridView;
  readonly onChange: (view: GridView) => void;
}

/** Lists the active filters, sorting and search. Each can be removed. */
export function ActiveFilters({ columns, view, onChange }: ActiveFiltersProps): ReactNode {
  const { filter, sort, q, groupBy, groupBucket, group, colorBy } = view;
  const titles = useLinkTitles();
  const isPlain = filter.parts.length + sort.length === 0 && q === '';
  if (isPlain && groupBy === null && colorBy === null) return null;
  const groups = columns.find(({ key }) => key === groupBy);
  const titleOf = (key: string): string => columns.find((one) => one.key === key)?.title ?? key;
  const isAny = filter.match === 'any' && filter.parts.length > 1;
  return (
    <Group gap="xs" mb="xs" role="group" aria-label={t.label}>
      {isAny && <span>{gridText.filter.anyOf}</span>}
      {filter.parts.map((part, index) => (
        <Removable
          key={`${index} ${filterText(part, columns, titles)}`}
          text={filterText(part, columns, titles)}
          onRemove={() => {
            onChange({ ...view, filter: withPart(filter, index, null) });
          }}
        />
      ))}
      {sort.map(({ key, isDescending }) => (
        <Removable
          key={key}
          text={isDescending ? t.descending(titleOf(key)) : t.ascending(titleOf(key))}
          onRemove={() => {
            onChange({ ...view, sort: sort.filter((one) => one.key !== key) });
          }}
        />
      ))}
      {q !== '' && (
        <Removable
          text={t.contains(quoted(q))}
          onRemove={() => {
            onChange({ ...view, q: '' });
          }}
        />
      )}
      {groups && (
        <Removable
          text={groupsText(groups, groupBucket)}
          onRemove={() => {
            onChange({ ...view, groupBy: null, groupBucket: null, group: undefined });
          }}
        />
      )}
      {groups && group !== undefined && (
        <Removable
          text={gridText.groups.only(groupTitle(groups, group, groupBucket, titles))}
          onRemove={() => {
            onChange({ ...view, group: undefined });
          }}
        />
      )}
      {colorBy !== null && (
        <Removable
          text={gridText.groups.coloredBy(titleOf(colorBy))}
          onRemove={() => {
            onChange({ ...view, colorBy: null });
          }}
        />
      )}
      <Button
        variant="subtle"
        size="compact-xs"
        onClick={() => {
          onChange(ALL_ROWS);
        }}
      >
        {t.removeAll}
      </Button>
    </Group>
  );
}

function Removable({
  text: label,
  onRemove,
}: {
  readonly text: string;
  readonly onRemove: () => void;
}): ReactNode {
  return (
    <Pill
      withRemoveButton
      size="md"
      maw="22rem"
      className="active-filter"
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': t.remove(label), 'aria-hidden': false, tabIndex: 0 }}
    >
      {label}
    </Pill>
  );
}

function groupsText({ title }: Column, bucket: DateBucket | null): string {
  if (bucket === null) return gridText.groups.by(title);
  return gridText.groups.byPeriod(title, gridText.groups.periods[bucket]);
}

/** Returns a part of a filter in words, such as `Amount is at least 5`. */
function filterText(part: FilterPart, columns: readonly Column[], titles: LinkTitles): string {
  if (isGroup(part)) {
    const parts = part.parts.map((one) =>
      isGroup(one) ? `(${filterText(one, columns, titles)})` : filterText(one, columns, titles),
    );
    return parts.join(part.match === 'all' ? gridText.filter.and : gridText.filter.or);
  }
  if (!isCondition(part)) return part.json;
  const column = columns.find(({ key }) => key === part.key);
  const title = column?.title ?? part.key;
  const operator = OPERATOR_LABELS[part.operator];
  if (takesNoValue(part.operator)) return t.conditionOnly(title, operator);
  const { datagridId } = column?.options ?? {};
  const values = part.typed.split('\n').map((typed) => {
    return (datagridId === undefined ? null : titles.titleOf(datagridId, typed)) ?? typed;
  });
  return t.condition(title, operator, values.join(', '));
}
