import { Button, Menu } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../common/confirm';
import { IN_MAIN } from '../../common/in-main';
import type { Column } from '../../datagrids/datagrid';
import { NameDialog } from '../../list/name-dialog';
import { DownIcon, ViewIcon } from '../../shell/icons';
import { gridText } from '../../text/grid-text';
import type { SavedView } from './saved-view';
import { ShareDialog } from './share/share-dialog';
import { createView, deleteView, renameView, saveView, type ViewContent } from './view-calls';

export interface ViewMenuProps {
  readonly datagridId: string;
  readonly columns: readonly Column[];
  readonly views: readonly SavedView[];
  readonly view: SavedView | undefined;
  /** What is displayed now. */
  readonly content: ViewContent;
  /** Whether it differs from the view. */
  readonly isChanged: boolean;
  readonly mayWrite: boolean;
  /** Whether the user may create public links. */
  readonly mayShare: boolean;
  readonly onOpen: (viewId: string | undefined) => void;
  /** Drops what was changed and not saved. */
  readonly onDiscard: () => void;
  /** Called when what is displayed was saved as this view. */
  readonly onSaved: (viewId: string) => void;
}

type OpenDialog = 'save' | 'update' | 'share' | 'rename' | 'delete';

/** Menu of the saved views of a datagrid. */
export function ViewMenu(props: ViewMenuProps): ReactNode {
  const { views, view, isChanged, mayWrite, mayShare, onOpen, onDiscard } = props;
  const [dialog, setDialog] = useState<OpenDialog>();
  const name = view?.name ?? gridText.views.all;
  const open = (next: OpenDialog) => () => {
    setDialog(next);
  };
  return (
    <>
      <Menu position="bottom-start" portalProps={IN_MAIN}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<ViewIcon />}
            rightSection={<DownIcon />}
            title={name}
            className="view-button"
            aria-label={isChanged ? gridText.views.changed(name) : gridText.views.current(name)}
          >
            <span className="view-button-name">{name}</span>
            {isChanged && ' •'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Item
            aria-current={view === undefined}
            fw={view ? undefined : 700}
            onClick={() => {
              onOpen(undefined);
            }}
          >
            {gridText.views.all}
          </Menu.Item>
          {views.map(({ id, name: other }) => (
            <Menu.Item
              key={id}
              aria-current={id === view?.id}
              fw={id === view?.id ? 700 : undefined}
              onClick={() => {
                onOpen(id);
              }}
            >
              {other}
            </Menu.Item>
          ))}
          {(mayWrite || isChanged) && <Menu.Divider />}
          {view && isChanged && mayWrite && (
            <Menu.Item onClick={open('update')}>{gridText.views.update}</Menu.Item>
          )}
          {view && isChanged && <Menu.Item onClick={onDiscard}>{gridText.views.discard}</Menu.Item>}
          {mayWrite && <Menu.Item onClick={open('save')}>{gridText.views.saveAs}</Menu.Item>}
          {view && mayShare && <Menu.Item onClick={open('share')}>{gridText.share.item}</Menu.Item>}
          {view && mayWrite && (
            <Menu.Item onClick={open('rename')}>{gridText.views.rename}</Menu.Item>
          )}
          {view && mayWrite && (
            <Menu.Item onClick={open('delete')}>{gridText.views.remove}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ViewDialogs
        {...props}
        dialog={dialog}
        onClose={() => {
          setDialog(undefined);
        }}
      />
    </>
  );
}

interface ViewDialogsProps extends ViewMenuProps {
  readonly dialog: OpenDialog | undefined;
  readonly onClose: () => void;
}

function ViewDialogs(props: ViewDialogsProps): ReactNode {
  const { dialog, datagridId, view, content, onClose, onSaved, onOpen } = props;
  if (dialog === 'save') {
    return (
      <NameDialog
        title={gridText.views.saveTitle}
        submitLabel={gridText.views.save}
        isNameOnly
        onClose={onClose}
        onSave={async ({ name }, key) => {
          onSaved((await createView(datagridId, name, content, key)).id);
        }}
      />
    );
  }
  if (!view) return null;
  switch (dialog) {
    case 'share':
      return <ShareDialog {...props} view={view} />;
    case 'rename':
      return (
        <NameDialog
          title={gridText.views.renameTitle(view.name)}
          submitLabel={gridText.views.save}
          initial={{ name: view.name, description: '' }}
          isNameOnly
          onClose={onClose}
          onSave={({ name }) => renameView(datagridId, view, name)}
        />
      );
    case 'update':
      return (
        <Confirm
          title={gridText.views.updateTitle(view.name)}
          message={gridText.views.updateMessage}
          submitLabel={gridText.views.save}
          isDangerous={false}
          onClose={onClose}
          onConfirm={async () => {
            await saveView(datagridId, view, content);
            onSaved(view.id);
          }}
        />
      );
    case 'delete':
      return (
        <Confirm
          title={gridText.views.removeTitle(view.name)}
          message={gridText.views.removeMessage}
          submitLabel={gridText.views.removeNow}
          onClose={onClose}
          onConfirm={async () => {
            await deleteView(datagridId, view);
            onOpen(undefined);
          }}
        />
      );
    case undefined:
      return null;
  }
}
