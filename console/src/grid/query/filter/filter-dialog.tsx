import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Dialog } from '../../../common/dialog';
import { Form } from '../../../common/form';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { isValidFilter, normalFilter } from './check-condition';
import { conditionCount, linkedCount, MAX_CONDITIONS, withoutEmptyGroups } from './edit-group';
import { type FilterGroup } from './filter-group';
import { freshCondition, GroupFields } from './group-fields';
import { MAX_ROW_CONDITIONS } from './linked-columns';

export interface FilterDialogProps {
  readonly columns: readonly Column[];
  readonly filter: FilterGroup;
  /** Column of an initial condition. */
  readonly startWith?: string | undefined;
  readonly onApply: (filter: FilterGroup) => void;
  readonly onClose: () => void;
}

/** Edits the filter: conditions, and groups of conditions. An invalid value keeps the dialog open. */
export function FilterDialog(props: FilterDialogProps): ReactNode {
  const { columns, onApply, onClose } = props;
  const [filter, setFilter] = useState(() => initialFilter(props));
  const [startAt] = useState(
    props.startWith === undefined ? undefined : String(filter.parts.length),
  );
  /** Attempts to apply an invalid filter. Each moves the focus to the first invalid value. */
  const [failure, setFailure] = useState<object | null>(null);
  const [focus, setFocus] = useState<{ readonly part: string }>();
  const isTooMany = linkedCount(filter) > MAX_ROW_CONDITIONS;
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!focus) return;
    fields.current
      ?.querySelector<HTMLElement>(`[data-part="${focus.part}"] :is(select, button)`)
      ?.focus();
  }, [focus]);
  return (
    <Dialog title={gridText.filter.title} isOpen onClose={onClose}>
      <Form
        submitLabel={gridText.filter.apply}
        isPending={false}
        error={failure}
        problem={isTooMany ? gridText.filter.tooManyLinked(MAX_ROW_CONDITIONS) : undefined}
        onCancel={onClose}
        onSubmit={() => {
          if (isTooMany || !isValidFilter(filter, columns)) {
            setFailure({});
            return;
          }
          onApply(withoutEmptyGroups(normalFilter(filter, columns)));
          onClose();
        }}
      >
        <div ref={fields}>
          <GroupFields
            prefix=""
            depth={1}
            columns={columns}
            group={filter}
            isChecked={failure !== null}
            startAt={startAt}
            isFull={conditionCount(filter) >= MAX_CONDITIONS}
            onChange={(next, part) => {
              setFilter(next);
              if (part !== undefined) setFocus({ part });
            }}
          />
        </div>
      </Form>
    </Dialog>
  );
}

/** Returns the filter with a condition on `startWith`, which rows must match in addition to it. */
function initialFilter({ columns, filter, startWith }: FilterDialogProps): FilterGroup {
  const fresh = freshCondition(columns, startWith);
  if (!fresh || (startWith === undefined && filter.parts.length > 0)) return filter;
  const isPlain = filter.match === 'all' || filter.parts.length < 2;
  return { match: 'all', parts: [...(isPlain ? filter.parts : [filter]), fresh] };
}
