import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChoiceItems, Submenu } from '../../../common/submenu';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { withColumn } from '../columns/layout';
import { MAX_SUMMARIES, summaryChoices, type SummaryFunction } from '../columns/summary';
import { useGridActions } from './grid-actions';

const t = gridText.summaries;

interface ColumnProps {
  readonly column: Column;
}

interface Choice {
  readonly choices: readonly SummaryFunction[];
  readonly labels: typeof t.functions;
  readonly current: SummaryFunction | undefined;
  readonly onChoose: (summary: SummaryFunction) => void;
}

/** The functions of a column, and which one it has. */
function useChoice(
  column: Column,
): Choice & { readonly isFull: boolean; readonly none: ReactNode } {
  const { layout, arrange } = useGridActions();
  const current = layout.find(({ key }) => key === column.key)?.summary;
  const choose = (summary: SummaryFunction | undefined): void => {
    arrange(withColumn(layout, column.key, { summary }));
  };
  const choices = summaryChoices(column, layout);
  return {
    choices: choices === 'full' ? [] : choices,
    isFull: choices === 'full',
    labels: t.functions,
    current,
    onChoose: choose,
    none: current && (
      <Menu.Item
        onClick={() => {
          choose(undefined);
        }}
      >
        {t.none}
      </Menu.Item>
    ),
  };
}

/** Items of a menu that choose the function whose result is shown below a column. */
export function SummaryItems({ column }: ColumnProps): ReactNode {
  const { none, isFull, ...choice } = useChoice(column);
  return (
    <>
      {isFull && <Menu.Item disabled>{t.full(MAX_SUMMARIES)}</Menu.Item>}
      <ChoiceItems {...choice} />
      {none}
    </>
  );
}

/** Item of a column's menu that opens these items beside it. Absent if no function takes the values. */
export function SummaryMenu({ column }: ColumnProps): ReactNode {
  const { none, isFull, ...choice } = useChoice(column);
  if (isFull) return <Menu.Item disabled>{t.full(MAX_SUMMARIES)}</Menu.Item>;
  if (choice.choices.length === 0) return null;
  return (
    <Submenu label={t.summarize} {...choice}>
      {none}
    </Submenu>
  );
}
