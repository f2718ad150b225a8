import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { text } from '../../text/text';

interface TestDialogProps<T> {
  readonly title: string;
  readonly texts: { readonly failed: string; readonly again: string };
  readonly test: () => Promise<T>;
  /** Called after each test, whether or not it succeeded. */
  readonly onTested?: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: (result: T) => ReactNode;
}

/** Tests a webhook or a connection when it opens, and shows the result. */
export function TestDialog<T>({
  title,
  texts,
  test,
  onTested,
  onClose,
  children,
}: TestDialogProps<T>): ReactNode {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: test,
    ...(onTested && { onSettled: onTested }),
  });
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Stack>
        {isPending && data === undefined && <Loading />}
        {error && <Problem error={error} title={texts.failed} />}
        {data !== undefined && children(data)}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            {texts.again}
          </Button>
          <Button onClick={onClose}>{text.actions.close}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
