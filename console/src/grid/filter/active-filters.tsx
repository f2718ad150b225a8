import { Button, Group, Pill } from '@mantine/core';
import type { ReactNode } from 'react';
import { quoted } from '../../common/quoted';
import { text } from '../../text/text';
import type { Column } from '../../datagrids/datagrid';
import { OPERATOR_LABELS, takesNoValue, type Condition } from './condition';
import type { GridView } from './grid-view';

export interface ActiveFiltersProps {
  readonly columns: readonly Column[];
  readonly view: GridView;
  /** Whether the saved view also has a filter that cannot be shown as conditions. */
  readonly hasBase: boolean;
  readonly onChange: (view: GridView) => void;
}

/** Lists the active filters, sorting and search. Each can be removed. */
export function ActiveFilters({ columns, view, hasBase, onChange }: ActiveFiltersProps): ReactNode {
  const { conditions, sort, q } = view;
  if (!hasBase && conditions.length + sort.length === 0 && q === '') return null;
  const titleOf = (key: string): string => columns.find((one) => one.key === key)?.title ?? key;
  const textOf = ({ key, operator, typed }: Condition): string => {
    const value = takesNoValue(operator) ? '' : ` ${typed.replaceAll('\n', ', ')}`;
    return `${titleOf(key)} ${OPERATOR_LABELS[operator]}${value}`;
  };
  return (
    <Group gap="xs" mb="xs" role="group" aria-label="Active filters and sorting">
      {hasBase && <Pill size="md">{text.views.base}</Pill>}
      {conditions.map((condition, index) => (
        <Removable
          key={`${index} ${textOf(condition)}`}
          text={textOf(condition)}
          onRemove={() => {
            onChange({ ...view, conditions: conditions.filter((_, at) => at !== index) });
          }}
        />
      ))}
      {sort.map(({ key, isDescending }) => (
        <Removable
          key={key}
          text={`Sorted by ${titleOf(key)}${isDescending ? ', descending' : ''}`}
          onRemove={() => {
            onChange({ ...view, sort: sort.filter((one) => one.key !== key) });
          }}
        />
      ))}
      {q !== '' && (
        <Removable
          text={`Contains ${quoted(q)}`}
          onRemove={() => {
            onChange({ ...view, q: '' });
          }}
        />
      )}
      <Button
        variant="subtle"
        size="compact-xs"
        onClick={() => {
          onChange({ conditions: [], sort: [], q: '' });
        }}
      >
        Show all rows
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
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': `Remove: ${label}`, 'aria-hidden': false, tabIndex: 0 }}
    >
      {label}
    </Pill>
  );
}
