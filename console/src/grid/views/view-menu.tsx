import { Button, Menu } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../common/confirm';
import { IN_MAIN } from '../../common/in-main';
import type { Column } from '../../datagrids/datagrid';
import { DownIcon, ViewIcon } from '../../shell/icons';
import { text } from '../../text/text';
import type { SavedView } from './saved-view';
import { ShareDialog } from './share/share-dialog';
import { createView, deleteView, renameView, saveView, type ViewContent } from './view-calls';
import { ViewNameDialog } from './view-name-dialog';

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
  const name = view?.name ?? text.views.all;
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
            aria-label={isChanged ? text.views.changed(name) : text.views.current(name)}
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
            {text.views.all}
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
            <Menu.Item onClick={open('update')}>{text.views.update}</Menu.Item>
          )}
          {view && isChanged && <Menu.Item onClick={onDiscard}>{text.views.discard}</Menu.Item>}
          {mayWrite && <Menu.Item onClick={open('save')}>{text.views.saveAs}</Menu.Item>}
          {view && mayShare && <Menu.Item onClick={open('share')}>{text.share.item}</Menu.Item>}
          {view && mayWrite && <Menu.Item onClick={open('rename')}>{text.views.rename}</Menu.Item>}
          {view && mayWrite && <Menu.Item onClick={open('delete')}>{text.views.remove}</Menu.Item>}
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
      <ViewNameDialog
        title={text.views.saveTitle}
        submitLabel={text.views.save}
        initial=""
        onClose={onClose}
        onSave={async (name, key) => {
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
        <ViewNameDialog
          title={text.views.renameTitle(view.name)}
          submitLabel={text.views.save}
          initial={view.name}
          onClose={onClose}
          onSave={(name) => renameView(datagridId, view, name)}
        />
      );
    case 'update':
      return (
        <Confirm
          title={text.views.updateTitle(view.name)}
          message={text.views.updateMessage}
          submitLabel={text.views.save}
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
          title={text.views.removeTitle(view.name)}
          message={text.views.removeMessage}
          submitLabel={text.views.removeNow}
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
