import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { useSyncExternalStore, type MouseEvent, type ReactNode } from 'react';
import type { Datagrid } from '../../datagrids/datagrid';
import { ItemMenu } from '../../list/item-menu';
import { ClockIcon, CodeIcon, FilterIcon, PlusIcon, RefreshIcon } from '../../shell/icons';
import { datagridsText } from '../../text/datagrids-text';
import { gridText } from '../../text/grid-text';
import { CHANGES_BUTTON } from '../data/changes/changes-panel';
import { conditionCount } from '../query/filter/edit-group';
import type { Direction, UndoStack } from '../editing/undo/undo-stack';
import type { GridView } from '../query/filter/grid-view';
import { usePhone } from '../../common/use-phone';
import { GoToRow } from './go-to-row';
import { SearchBox } from './search-box';
import { ToolButton } from './tool-button';
import './toolbar.css';

const t = gridText.toolbar;

/** A dialog that a button or an item of the menu opens. */
interface ToolbarDialog {
  readonly kind:
    | 'add'
    | 'filter'
    | 'columns'
    | 'import'
    | 'export'
    | 'api'
    | 'deleted-rows'
    | 'deleted-columns'
    | 'rename'
    | 'delete';
}

export interface GridToolbarProps {
  readonly datagrid: Datagrid;
  readonly view: GridView;
  /** Number of rows in the view; undefined while the first ones are loading. */
  readonly total: number | undefined;
  readonly hasFailed: boolean;
  readonly mayWrite: boolean;
  readonly mayChange: boolean;
  /** Actions that can be undone. */
  readonly steps: UndoStack;
  /** Menu of the saved views. */
  readonly views: ReactNode;
  /** List of the columns. */
  readonly columnList: ReactNode;
  /** Moves to the last line, which becomes a new row. */
  readonly onAddRow: () => void;
  readonly onShow: (view: GridView) => void;
  readonly onOpen: (dialog: ToolbarDialog) => void;
  readonly onRefresh: () => void;
  /** True if the list of changes is open. */
  readonly isListOpen: boolean;
  readonly onToggleList: () => void;
  readonly onGo: (index: number) => void;
}

/** Everything that acts on all rows: in one line, or on a phone in two. */
export function GridToolbar(props: GridToolbarProps): ReactNode {
  const { datagrid, view, total, mayWrite, onAddRow, onShow, onOpen } = props;
  const isPhone = usePhone();
  const filters = conditionCount(view.filter);
  const open = (kind: ToolbarDialog['kind']) => () => {
    onOpen({ kind });
  };
  // Keyed, so that they keep what was typed when the screen turns.
  const find = (
    <div key="find" className="grid-find">
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
    </div>
  );
  const actions = <ViewActions key="actions" {...props} isPhone={isPhone} />;
  return (
    <Group gap={6} mb="xs" role="group" aria-label={t.label} className="grid-toolbar">
      {props.views}
      {mayWrite && (
        <Button
          size="xs"
          className="tool-button"
          leftSection={<PlusIcon />}
          title={isPhone ? undefined : t.addRowHint}
          onClick={({ shiftKey }: MouseEvent) => {
            if (isPhone || shiftKey) onOpen({ kind: 'add' });
            else onAddRow();
          }}
          disabled={datagrid.columns.length === 0}
        >
          {t.addRow}
        </Button>
      )}
      <ToolButton icon={<FilterIcon />} isOn={filters > 0} onClick={open('filter')}>
        {t.filter(filters)}
      </ToolButton>
      {props.columnList}
      {isPhone ? [actions, find] : [find, actions]}
    </Group>
  );
}

type ViewActionsProps = MoreActionsProps & Pick<GridToolbarProps, 'isListOpen' | 'onToggleList'>;

/** Buttons at the end of a line. On a phone, the menu has those that do not fit. */
function ViewActions(props: ViewActionsProps): ReactNode {
  const { isPhone, isListOpen, onToggleList, onOpen, onRefresh } = props;
  return (
    <Group gap={2} ms="auto" wrap="nowrap">
      {!isPhone && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          aria-label={t.refresh}
          title={t.refresh}
          onClick={onRefresh}
        >
          <RefreshIcon />
        </ActionIcon>
      )}
      <ToolButton
        icon={<ClockIcon />}
        id={CHANGES_BUTTON}
        aria-expanded={isListOpen}
        isOn={isListOpen}
        onClick={onToggleList}
      >
        {t.changes}
      </ToolButton>
      {!isPhone && (
        <ToolButton
          icon={<CodeIcon />}
          onClick={() => {
            onOpen({ kind: 'api' });
          }}
        >
          {t.api}
        </ToolButton>
      )}
      <MoreActions {...props} />
    </Group>
  );
}

interface MoreActionsProps extends Pick<
  GridToolbarProps,
  'datagrid' | 'mayWrite' | 'mayChange' | 'steps' | 'onOpen' | 'onRefresh'
> {
  readonly isPhone: boolean;
}

function MoreActions(props: MoreActionsProps): ReactNode {
  const { datagrid, isPhone, mayWrite, mayChange, steps, onOpen, onRefresh } = props;
  const open = (kind: ToolbarDialog['kind']) => () => {
    onOpen({ kind });
  };
  return (
    <ItemMenu label={t.more}>
      {isPhone && (
        <>
          <Menu.Item onClick={onRefresh}>{t.refresh}</Menu.Item>
          <Menu.Item onClick={open('api')}>{t.api}</Menu.Item>
          <Menu.Divider />
        </>
      )}
      {mayWrite && <UndoItems steps={steps} />}
      {!isPhone && mayWrite && datagrid.columns.length > 0 && (
        <Menu.Item onClick={open('add')}>{t.addRowForm}</Menu.Item>
      )}
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

/** What the keys do, for those who have none. */
function UndoItems({ steps }: Pick<GridToolbarProps, 'steps'>): ReactNode {
  return (
    <>
      <UndoItem steps={steps} direction="undo" />
      <UndoItem steps={steps} direction="redo" />
      <Menu.Divider />
    </>
  );
}

interface UndoItemProps {
  readonly steps: UndoStack;
  readonly direction: Direction;
}

/** An action can be undone when it is saved, also while the menu is open. */
function UndoItem({ steps, direction }: UndoItemProps): ReactNode {
  const isPossible = useSyncExternalStore(steps.followChanges, () => steps.has(direction));
  return (
    <Menu.Item
      disabled={!isPossible}
      onClick={() => {
        steps.request(direction);
      }}
    >
      {gridText.blocks[direction]}
    </Menu.Item>
  );
}
