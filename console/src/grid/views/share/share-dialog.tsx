import { Alert, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../../common/confirm';
import { CopyField } from '../../../common/copy-field';
import { Dialog } from '../../../common/dialog';
import { Loading } from '../../../common/loading';
import { Problem } from '../../../common/problem';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { SavedView } from '../saved-view';
import { CreateLink } from './create-link';
import { CurrentLink } from './current-link';
import { linkQuery, revokeLink, type NewViewLink } from './share-calls';

export interface ShareDialogProps {
  readonly datagridId: string;
  readonly view: SavedView;
  readonly columns: readonly Column[];
  /** Whether the displayed rows differ from the view. */
  readonly isChanged: boolean;
  readonly onClose: () => void;
}

/** Creates, shows and revokes the public link of a view. */
export function ShareDialog(props: ShareDialogProps): ReactNode {
  const { datagridId, view, onClose } = props;
  const { data: link, error, refetch } = useQuery(linkQuery(datagridId, view));
  const [created, setCreated] = useState<NewViewLink>();
  const [isReplacing, setReplacing] = useState(false);
  const [isRevoking, setRevoking] = useState(false);
  if (created) return <NewLink url={created.url} view={view} onClose={onClose} />;
  if (isRevoking) {
    return (
      <Confirm
        title={gridText.share.revokeTitle(view.name)}
        message={gridText.share.revokeHint}
        submitLabel={gridText.share.revoke}
        onConfirm={() => revokeLink(datagridId, view)}
        onClose={() => {
          setRevoking(false);
        }}
      />
    );
  }
  return (
    <Dialog title={gridText.share.title(view.name)} isOpen onClose={onClose}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {link === undefined && !error && <Loading />}
      {link && !isReplacing && (
        <CurrentLink
          columns={props.columns}
          link={link}
          onReplace={() => {
            setReplacing(true);
          }}
          onRevoke={() => {
            setRevoking(true);
          }}
        />
      )}
      {(link === null || (link && isReplacing)) && (
        <CreateLink {...props} isReplacing={link !== null} onCreated={setCreated} />
      )}
    </Dialog>
  );
}

interface NewLinkProps {
  readonly url: string;
  readonly view: SavedView;
  readonly onClose: () => void;
}

/** Shows the URL of a new link, once. */
function NewLink({ url, view, onClose }: NewLinkProps): ReactNode {
  return (
    <Dialog title={gridText.share.title(view.name)} isOpen isFirm onClose={onClose}>
      <Stack>
        <Alert color="yellow" title={gridText.share.shownOnce}>
          {gridText.share.keep}
        </Alert>
        <CopyField label={gridText.share.link} text={url} copyLabel={gridText.share.copy} />
        <Group justify="flex-end">
          <Button component="a" href={url} target="_blank" rel="noreferrer" variant="default">
            {gridText.share.open}
          </Button>
          <Button onClick={onClose}>{gridText.share.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
