import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChoiceItems, Submenu } from '../../common/submenu';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { useGridActions } from '../table/grid-actions';
import { withColumn } from '../views/layout';
import { MAX_SUMMARIES, summariesOf, type SummaryFunction } from './summary';

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
function useChoice(column: Column): Choice & { readonly none: ReactNode } {
  const { layout, arrange } = useGridActions();
  const current = layout.find(({ key }) => key === column.key)?.summary;
  const choose = (summary: SummaryFunction | undefined): void => {
    arrange(withColumn(layout, column.key, { summary }));
  };
  const isFull = layout.filter(({ summary }) => summary).length >= MAX_SUMMARIES;
  return {
    choices: isFull && !current ? [] : summariesOf(column),
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
  const { none, ...choice } = useChoice(column);
  return (
    <>
      <ChoiceItems {...choice} />
      {none}
    </>
  );
}

/** Item of a column's menu that opens these items beside it. */
export function SummaryMenu({ column }: ColumnProps): ReactNode {
  const { none, ...choice } = useChoice(column);
  if (choice.choices.length === 0) return <Menu.Item disabled>{t.full(MAX_SUMMARIES)}</Menu.Item>;
  return (
    <Submenu label={t.summarize} {...choice}>
      {none}
    </Submenu>
  );
}
