import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError, messageOf } from '../api/api-error';
import { Confirm } from '../common/confirm';
import { DANGER, ItemMenu } from '../list/item-menu';
import { NameDialog } from '../list/name-dialog';
import { mayWriteRows } from '../session/role';
import { useSession } from '../session/session-context';
import { sqlText } from '../text/sql-text';
import { text } from '../text/text';
import { createQuery, deleteQuery, updateQuery, type QueryVersion } from './sql-calls';

const t = sqlText.saved;

interface SaveActionsProps {
  readonly workspaceId: string;
  readonly opened: QueryVersion | undefined;
  readonly sql: string;
  /** Version that the statement changes. */
  readonly etag: string | undefined;
  readonly isChanged: boolean;
  /**
   * Called when the statement is saved.
   * @param sql What was saved: more may have been typed since.
   * @param etag The version, if the query was saved before.
   */
  readonly onSaved: (sql: string, etag: string | undefined) => void;
  readonly onDeleted: () => void;
  /** Called with the version after a change of the name. */
  readonly onRenamed: (etag: string | undefined) => void;
  readonly onRevert: () => void;
  readonly onOpen: (id: string | null) => void;
}

/** Saves a statement for the users of the workspace, and renames and deletes the open query. */
export function SaveActions(props: SaveActionsProps): ReactNode {
  const { workspaceId, opened, sql, etag, isChanged, onRevert, onOpen } = props;
  const { onSaved, onDeleted, onRenamed } = props;
  const mayWrite = mayWriteRows(useSession().user.role);
  const [dialog, setDialog] = useState<'save' | 'rename' | 'delete'>();
  const query = opened?.query;
  const save = useMutation({
    mutationFn: async (id: string) => {
      onSaved(sql, await updateQuery(workspaceId, id, { sql }, etag));
    },
    onError: (error) => {
      const isConflict = isApiError(error) && error.status === 412;
      const message = isConflict ? t.conflict : messageOf(error);
      notifications.show({ color: 'red', title: t.notSaved, message });
    },
  });
  const close = (): void => {
    setDialog(undefined);
  };
  return (
    <>
      {mayWrite && query && (
        <Button
          variant="default"
          disabled={!isChanged}
          loading={save.isPending}
          onClick={() => {
            save.mutate(query.id);
          }}
        >
          {t.save}
        </Button>
      )}
      {mayWrite && (
        <Button
          variant="default"
          disabled={sql.trim() === ''}
          onClick={() => {
            setDialog('save');
          }}
        >
          {t.saveAs}
        </Button>
      )}
      {(query !== undefined || isChanged) && (
        <ItemMenu label={t.actions}>
          <Menu.Item disabled={!isChanged} onClick={onRevert}>
            {t.revert}
          </Menu.Item>
          {mayWrite && query && (
            <>
              <Menu.Item
                onClick={() => {
                  setDialog('rename');
                }}
              >
                {text.actions.rename}
              </Menu.Item>
              <Menu.Item
                c={DANGER}
                onClick={() => {
                  setDialog('delete');
                }}
              >
                {text.actions.delete}
              </Menu.Item>
            </>
          )}
        </ItemMenu>
      )}
      {dialog === 'save' && (
        <NameDialog
          title={t.saveTitle}
          submitLabel={t.save}
          isNameOnly
          onClose={close}
          onSave={async ({ name }, key) => {
            const { id } = await createQuery(workspaceId, { name, sql }, key);
            onSaved(sql, undefined);
            onOpen(id);
          }}
        />
      )}
      {dialog === 'rename' && query && (
        <NameDialog
          title={t.renameTitle(query.name)}
          submitLabel={text.actions.save}
          isNameOnly
          initial={{ name: query.name, description: '' }}
          onClose={close}
          onSave={async ({ name }) => {
            onRenamed(await updateQuery(workspaceId, query.id, { name }, opened.etag));
          }}
        />
      )}
      {dialog === 'delete' && query && (
        <Confirm
          title={t.deleteTitle(query.name)}
          message={t.deleteMessage}
          submitLabel={text.actions.delete}
          onClose={close}
          onConfirm={async () => {
            await deleteQuery(workspaceId, query.id);
            onDeleted();
            onOpen(null);
          }}
        />
      )}
    </>
  );
}
