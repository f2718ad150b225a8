import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { operatorsOf, type Condition } from './condition';
import { ConditionFields } from './condition-fields';
import { MAX_ADDED_DEPTH, withPart } from './edit-group';
import { isCondition, isGroup, type FilterGroup } from './filter-group';

export interface GroupFieldsProps {
  /** Such as `2.`; empty for the whole filter. */
  readonly prefix: string;
  /** 1 for the whole filter. */
  readonly depth: number;
  readonly columns: readonly Column[];
  readonly group: FilterGroup;
  readonly isChecked: boolean;
  /** Number of the condition whose value gets the focus when the dialog opens. */
  readonly startAt: string | undefined;
  /** Whether the filter has as many conditions as it may have. */
  readonly isFull: boolean;
  /** @param focus Number of the part that gets the focus; that of the group after a removal. */
  readonly onChange: (group: FilterGroup, focus?: string) => void;
}

/** Fields of a group: whether all or any of its parts must match, and the parts. */
export function GroupFields(props: GroupFieldsProps): ReactNode {
  const { prefix, depth, columns, group, isFull, onChange } = props;
  const { match, parts } = group;
  const own = prefix === '' ? 'all' : prefix.slice(0, -1);
  const add = (part: Condition | FilterGroup, focused = ''): void => {
    onChange({ ...group, parts: [...parts, part] }, `${prefix}${parts.length + 1}${focused}`);
  };
  const fresh = freshCondition(columns);
  return (
    <Stack gap="sm">
      {parts.length === 0 && depth === 1 && <Text>{gridText.filter.allRows}</Text>}
      {parts.length > 1 && (
        <NativeSelect
          label={gridText.filter.match}
          value={match}
          data={[
            { value: 'all', label: gridText.filter.matchAll },
            { value: 'any', label: gridText.filter.matchAny },
          ]}
          onChange={({ currentTarget: { value } }) => {
            onChange({ ...group, match: value === 'any' ? 'any' : 'all' });
          }}
        />
      )}
      {parts.map((_, index) => (
        <PartFields
          // Parts have no id, so their position is the key.
          key={index}
          {...props}
          index={index}
          onRemove={() => {
            onChange(withPart(group, index, null), `+${own}`);
          }}
        />
      ))}
      <Group data-part={`+${own}`}>
        <Button
          variant="default"
          size="xs"
          disabled={isFull || !fresh}
          onClick={() => {
            if (fresh) add(fresh);
          }}
        >
          {depth === 1 ? gridText.filter.addCondition : gridText.filter.addConditionTo(own)}
        </Button>
        {depth < MAX_ADDED_DEPTH && (
          <Button
            variant="default"
            size="xs"
            disabled={isFull || !fresh}
            onClick={() => {
              const other = match === 'all' ? 'any' : 'all';
              if (fresh) add({ match: other, parts: [fresh] }, '.1');
            }}
          >
            {gridText.filter.addGroup}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface PartFieldsProps extends GroupFieldsProps {
  readonly index: number;
  readonly onRemove: () => void;
}

function PartFields(props: PartFieldsProps): ReactNode {
  const { prefix, depth, columns, group, index, isChecked, startAt, onChange, onRemove } = props;
  const part = group.parts[index];
  const number = `${prefix}${index + 1}`;
  if (!part) return null;
  if (isCondition(part)) {
    return (
      <ConditionFields
        number={number}
        columns={columns}
        condition={part}
        isChecked={isChecked}
        startAt={startAt === undefined ? 'column' : startAt === number ? 'value' : undefined}
        onChange={(next) => {
          onChange(withPart(group, index, next));
        }}
        onRemove={onRemove}
      />
    );
  }
  return (
    <Stack component="fieldset" gap="xs" className="filter-group">
      <legend>{isGroup(part) ? gridText.filter.group(number) : gridText.filter.other}</legend>
      {isGroup(part) ? (
        <GroupFields
          {...props}
          prefix={`${number}.`}
          depth={depth + 1}
          group={part}
          onChange={(next, focus) => {
            onChange(withPart(group, index, next), focus);
          }}
        />
      ) : (
        <Code block>{part.json}</Code>
      )}
      <Group justify="flex-end">
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={
            isGroup(part)
              ? gridText.filter.removeGroup(number)
              : gridText.filter.removeCondition(number)
          }
          onClick={onRemove}
        >
          {gridText.filter.remove}
        </Button>
      </Group>
    </Stack>
  );
}

/** Returns a new condition on a column, by default the first. */
export function freshCondition(columns: readonly Column[], key?: string): Condition | undefined {
  const column = columns.find((one) => one.key === key) ?? columns[0];
  const operator = column && operatorsOf(column.type)[0];
  return operator && { key: column.key, operator, typed: '' };
}
