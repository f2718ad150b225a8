import { Button, Group, Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Datagrid } from '../../datagrids/datagrid';
import { ItemMenu } from '../../list/item-menu';
import { gridText } from '../../text/grid-text';
import { datagridsText } from '../../text/datagrids-text';
import { CHANGES_BUTTON } from '../changes/changes-panel';
import type { KnownRow } from '../edits/row-edit';
import { conditionCount } from '../filter/edit-group';
import type { GridView } from '../filter/grid-view';
import type { OpenDialog } from '../grid-dialogs';
import { GoToRow } from './go-to-row';
import { SearchBox } from './search-box';

const t = gridText.toolbar;

export interface GridToolbarProps {
  readonly datagrid: Datagrid;
  readonly view: GridView;
  /** Number of rows in the view; undefined while the first ones are loading. */
  readonly total: number | undefined;
  readonly hasFailed: boolean;
  readonly selected: readonly KnownRow[];
  readonly mayWrite: boolean;
  readonly mayChange: boolean;
  /** Menu of the saved views. */
  readonly views: ReactNode;
  /** List of the columns. */
  readonly columnList: ReactNode;
  readonly onShow: (view: GridView) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
  readonly onRefresh: () => void;
  /** True if the list of changes is open. */
  readonly isListOpen: boolean;
  readonly onToggleList: () => void;
  readonly onGo: (index: number) => void;
}

export function GridToolbar(props: GridToolbarProps): ReactNode {
  const { datagrid, view, total, selected, mayWrite, mayChange, onShow, onOpen } = props;
  const [only] = selected;
  const filters = conditionCount(view.filter);
  const open = (kind: OpenDialog['kind']) => () => {
    onOpen({ kind });
  };
  return (
    <Group gap="xs" mb="xs" role="group" aria-label={t.label} className="grid-toolbar">
      {props.views}
      {mayWrite && (
        <Button size="sm" onClick={open('add')} disabled={datagrid.columns.length === 0}>
          {t.addRow}
        </Button>
      )}
      {mayWrite && selected.length > 0 && (
        <Button size="sm" variant="default" onClick={open('delete-rows')}>
          {t.removeRows(selected.length)}
        </Button>
      )}
      {only && selected.length === 1 && (
        <Button
          size="sm"
          variant="default"
          onClick={() => {
            onOpen({ kind: 'history', rowId: only.id });
          }}
        >
          {t.history}
        </Button>
      )}
      <Button size="sm" variant="default" onClick={open('filter')}>
        {t.filter(filters)}
      </Button>
      {props.columnList}
      <SearchBox
        q={view.q}
        onSearch={(q) => {
          onShow({ ...view, q });
        }}
      />
      <GoToRow total={total ?? 0} onGo={props.onGo} />
      <Button size="sm" variant="default" onClick={props.onRefresh}>
        {t.refresh}
      </Button>
      <Text size="sm" role="status">
        {total === undefined ? !props.hasFailed && t.loading : t.rows(total)}
      </Text>
      <Group gap="xs" ms="auto">
        <Button
          size="sm"
          variant="default"
          id={CHANGES_BUTTON}
          aria-expanded={props.isListOpen}
          onClick={props.onToggleList}
        >
          {t.changes}
        </Button>
        <Button size="sm" variant="default" onClick={open('api')}>
          {t.api}
        </Button>
        <ItemMenu label={t.more}>
          <Menu.Item onClick={open('columns')}>{datagridsText.columns.settings}</Menu.Item>
          {mayWrite && <Menu.Item onClick={open('import')}>{t.importFile}</Menu.Item>}
          <Menu.Item onClick={open('export')}>{t.exportFile}</Menu.Item>
          <Menu.Item onClick={open('deleted-rows')}>{gridText.rowTrash.open}</Menu.Item>
          {mayChange && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={open('rename')}>{t.rename}</Menu.Item>
              <Menu.Item onClick={open('delete')}>{t.remove}</Menu.Item>
            </>
          )}
        </ItemMenu>
      </Group>
    </Group>
  );
}
