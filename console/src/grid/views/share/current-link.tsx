import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../../../api/api-error';
import { When } from '../../../common/when';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { useAuthorName } from '../../changes/use-author-name';
import type { SavedView } from '../saved-view';
import { revokeLink, type KnownLink } from './share-calls';

export interface CurrentLinkProps {
  readonly datagridId: string;
  readonly view: SavedView;
  readonly columns: readonly Column[];
  readonly link: KnownLink;
  readonly onReplace: () => void;
}

/** Describes the link of a view, whose URL is no longer known. */
export function CurrentLink(props: CurrentLinkProps): ReactNode {
  const { datagridId, view, columns, link, onReplace } = props;
  const revoke = useMutation({ mutationFn: () => revokeLink(datagridId, view) });
  const author = useAuthorName(true)({ userId: link.createdBy, keyId: null });
  const { isExpired } = link;
  const titles = link.columns.map((key) => columns.find((one) => one.key === key)?.title ?? key);
  return (
    <Stack>
      <Alert
        color={isExpired ? 'gray' : 'green'}
        title={isExpired ? gridText.share.expired : gridText.share.active}
      >
        <Text size="sm">
          {gridText.share.created(author ?? '')} <When iso={link.createdAt} />.{' '}
          {link.expiresAt === null ? (
            gridText.share.never
          ) : (
            <>
              {isExpired ? gridText.share.expiredAt : gridText.share.expires}{' '}
              <When iso={link.expiresAt} />.
            </>
          )}{' '}
          {link.lastUsedAt === null ? (
            gridText.share.unused
          ) : (
            <>
              {gridText.share.used} <When iso={link.lastUsedAt} />.
            </>
          )}
        </Text>
        <Text size="sm" mt="xs">
          {gridText.share.columns(titles)}
        </Text>
      </Alert>
      <Text size="sm">{gridText.share.once}</Text>
      {revoke.error && (
        <Alert color="red" role="alert">
          {messageOf(revoke.error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onReplace}>
          {gridText.share.replaceStart}
        </Button>
        <Button
          color="red.9"
          loading={revoke.isPending}
          onClick={() => {
            revoke.mutate();
          }}
        >
          {gridText.share.revoke}
        </Button>
      </Group>
    </Stack>
  );
}
