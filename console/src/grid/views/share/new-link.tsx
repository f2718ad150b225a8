import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../../common/copy-field';
import { Dialog } from '../../../common/dialog';
import { text } from '../../../text/text';
import type { SavedView } from '../saved-view';

export interface NewLinkProps {
  readonly url: string;
  readonly view: SavedView;
  readonly onClose: () => void;
}

/** Shows the URL of a new link, once. */
export function NewLink({ url, view, onClose }: NewLinkProps): ReactNode {
  return (
    <Dialog title={text.share.title(view.name)} isOpen isFirm onClose={onClose}>
      <Stack>
        <Alert color="yellow" title={text.share.shownOnce}>
          {text.share.keep}
        </Alert>
        <CopyField label={text.share.link} text={url} copyLabel={text.share.copy} />
        <Group justify="flex-end">
          <Button component="a" href={url} target="_blank" rel="noreferrer" variant="default">
            {text.share.open}
          </Button>
          <Button onClick={onClose}>{text.share.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
