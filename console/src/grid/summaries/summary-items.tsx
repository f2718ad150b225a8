import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { useGridActions } from '../table/grid-actions';
import { withColumn } from '../views/layout';
import { summariesOf, type SummaryFunction } from './summary';

const t = gridText.summaries;

/** Items of a menu that choose the function whose result is shown below a column. */
export function SummaryItems({ column }: { readonly column: Column }): ReactNode {
  const { layout, arrange } = useGridActions();
  const chosen = layout.find(({ key }) => key === column.key)?.summary;
  const choose = (summary: SummaryFunction | undefined) => () => {
    arrange(withColumn(layout, column.key, { summary }));
  };
  return (
    <>
      {summariesOf(column).map((name) => (
        <Menu.Item key={name} aria-current={name === chosen} onClick={choose(name)}>
          {t.functions[name]}
        </Menu.Item>
      ))}
      {chosen && <Menu.Item onClick={choose(undefined)}>{t.none}</Menu.Item>}
    </>
  );
}

/** Item of a column's menu that opens these items beside it. */
export function SummaryMenu({ column }: { readonly column: Column }): ReactNode {
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item>{t.summarize}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        <SummaryItems column={column} />
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}
