import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { When } from '../../../common/when';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { useAuthorName } from '../../data/changes/use-author-name';
import type { KnownLink } from './share-calls';

export interface CurrentLinkProps {
  readonly columns: readonly Column[];
  readonly link: KnownLink;
  readonly onReplace: () => void;
  readonly onRevoke: () => void;
}

/** Describes the link of a view, whose URL is no longer known. */
export function CurrentLink(props: CurrentLinkProps): ReactNode {
  const { columns, link, onReplace, onRevoke } = props;
  const author = useAuthorName(true, true)({ userId: link.createdBy, keyId: null });
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
      <Group justify="flex-end">
        <Button variant="default" onClick={onReplace}>
          {gridText.share.replaceStart}
        </Button>
        <Button color="red.9" onClick={onRevoke}>
          {gridText.share.revokeStart}
        </Button>
      </Group>
    </Stack>
  );
}
