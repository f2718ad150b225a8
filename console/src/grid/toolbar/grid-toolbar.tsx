import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Datagrid } from '../../datagrids/datagrid';
import { ItemMenu } from '../../list/item-menu';
import {
  ClockIcon,
  CodeIcon,
  FilterIcon,
  PlusIcon,
  RefreshIcon,
  TrashIcon,
} from '../../shell/icons';
import { datagridsText } from '../../text/datagrids-text';
import { gridText } from '../../text/grid-text';
import { CHANGES_BUTTON } from '../changes/changes-panel';
import type { KnownRow } from '../edits/row-edit';
import { conditionCount } from '../filter/edit-group';
import type { GridView } from '../filter/grid-view';
import type { OpenDialog } from '../grid-dialogs';
import { GoToRow } from './go-to-row';
import { SearchBox } from './search-box';
import { ToolButton } from './tool-button';
import './toolbar.css';

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
  const { datagrid, view, total, selected, mayWrite, onShow, onOpen } = props;
  const filters = conditionCount(view.filter);
  const open = (kind: OpenDialog['kind']) => () => {
    onOpen({ kind });
  };
  return (
    <Group gap={6} mb="xs" role="group" aria-label={t.label} className="grid-toolbar">
      {props.views}
      {selected.length > 0 && (
        <SelectedRows selected={selected} mayWrite={mayWrite} onOpen={onOpen} />
      )}
      {selected.length === 0 && mayWrite && (
        <Button
          size="xs"
          leftSection={<PlusIcon />}
          onClick={open('add')}
          disabled={datagrid.columns.length === 0}
        >
          {t.addRow}
        </Button>
      )}
      <ToolButton icon={<FilterIcon />} isOn={filters > 0} onClick={open('filter')}>
        {t.filter(filters)}
      </ToolButton>
      {props.columnList}
      <SearchBox
        q={view.q}
        onSearch={(q) => {
          onShow({ ...view, q });
        }}
      />
      <GoToRow total={total ?? 0} onGo={props.onGo} />
      <Text size="sm" c="dimmed" role="status" className="grid-total">
        {total === undefined ? !props.hasFailed && t.loading : t.rows(total)}
      </Text>
      <Group gap={2} ms="auto" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          aria-label={t.refresh}
          title={t.refresh}
          onClick={props.onRefresh}
        >
          <RefreshIcon />
        </ActionIcon>
        <ToolButton
          icon={<ClockIcon />}
          id={CHANGES_BUTTON}
          aria-expanded={props.isListOpen}
          isOn={props.isListOpen}
          onClick={props.onToggleList}
        >
          {t.changes}
        </ToolButton>
        <ToolButton icon={<CodeIcon />} onClick={open('api')}>
          {t.api}
        </ToolButton>
        <MoreActions {...props} />
      </Group>
    </Group>
  );
}

type SelectedRowsProps = Pick<GridToolbarProps, 'selected' | 'mayWrite' | 'onOpen'>;

/** Actions for the rows whose checkboxes are on. */
function SelectedRows({ selected, mayWrite, onOpen }: SelectedRowsProps): ReactNode {
  const [only] = selected;
  return (
    <>
      {mayWrite && (
        <Button
          size="xs"
          color="red"
          variant="light"
          leftSection={<TrashIcon />}
          onClick={() => {
            onOpen({ kind: 'delete-rows' });
          }}
        >
          {t.removeRows(selected.length)}
        </Button>
      )}
      {only && selected.length === 1 && (
        <ToolButton
          icon={<ClockIcon />}
          onClick={() => {
            onOpen({ kind: 'history', rowId: only.id });
          }}
        >
          {t.history}
        </ToolButton>
      )}
    </>
  );
}

type MoreActionsProps = Pick<GridToolbarProps, 'mayWrite' | 'mayChange' | 'onOpen'>;

function MoreActions({ mayWrite, mayChange, onOpen }: MoreActionsProps): ReactNode {
  const open = (kind: OpenDialog['kind']) => () => {
    onOpen({ kind });
  };
  return (
    <ItemMenu label={t.more}>
      <Menu.Item onClick={open('columns')}>{datagridsText.columns.settings}</Menu.Item>
      {mayWrite && <Menu.Item onClick={open('import')}>{t.importFile}</Menu.Item>}
      <Menu.Item onClick={open('export')}>{t.exportFile}</Menu.Item>
      <Menu.Item onClick={open('deleted-rows')}>{gridText.rowTrash.open}</Menu.Item>
      <Menu.Item onClick={open('deleted-columns')}>{gridText.columnTrash.open}</Menu.Item>
      {mayChange && (
        <>
          <Menu.Divider />
          <Menu.Item onClick={open('rename')}>{t.rename}</Menu.Item>
          <Menu.Item onClick={open('delete')}>{t.remove}</Menu.Item>
        </>
      )}
    </ItemMenu>
  );
}
