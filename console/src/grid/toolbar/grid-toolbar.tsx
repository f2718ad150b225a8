import { Button, Group, Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import type { Datagrid } from '../../datagrids/datagrid';
import { ItemMenu } from '../../list/item-menu';
import { text } from '../../text/text';
import { CHANGES_BUTTON } from '../changes/changes-panel';
import type { KnownRow } from '../edits/row-edit';
import { conditionCount } from '../filter/edit-group';
import type { GridView } from '../filter/grid-view';
import type { OpenDialog } from '../grid-dialogs';
import { GoToRow } from './go-to-row';
import { SearchBox } from './search-box';

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
    <Group gap="xs" mb="xs" role="group" aria-label="Rows" className="grid-toolbar">
      {props.views}
      {mayWrite && (
        <Button size="sm" onClick={open('add')} disabled={datagrid.columns.length === 0}>
          Add row
        </Button>
      )}
      {mayWrite && selected.length > 0 && (
        <Button size="sm" variant="default" onClick={open('delete-rows')}>
          Delete {selected.length === 1 ? 'row' : `${selected.length} rows`}
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
          History
        </Button>
      )}
      <Button size="sm" variant="default" onClick={open('filter')}>
        Filter{filters > 0 && ` (${filters})`}
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
        Refresh
      </Button>
      <Text size="sm" role="status">
        {total === undefined ? !props.hasFailed && 'Loading' : countOf(total, 'row')}
      </Text>
      <Group gap="xs" ms="auto">
        <Button
          size="sm"
          variant="default"
          id={CHANGES_BUTTON}
          aria-expanded={props.isListOpen}
          onClick={props.onToggleList}
        >
          Changes
        </Button>
        <Button size="sm" variant="default" onClick={open('api')}>
          API
        </Button>
        <ItemMenu label="More actions for this datagrid">
          <Menu.Item onClick={open('columns')}>{text.columns.settings}</Menu.Item>
          {mayWrite && <Menu.Item onClick={open('import')}>Import a file</Menu.Item>}
          <Menu.Item onClick={open('export')}>Export</Menu.Item>
          <Menu.Item onClick={open('deleted-rows')}>{text.rowTrash.open}</Menu.Item>
          {mayChange && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={open('rename')}>Rename</Menu.Item>
              <Menu.Item onClick={open('delete')}>Delete the datagrid</Menu.Item>
            </>
          )}
        </ItemMenu>
      </Group>
    </Group>
  );
}
