import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import { REPLAY_CHOICES, sinceOf, type ReplayChoice } from './replay-since';
import type { WebhookTaskProps } from './rotate-secret-dialog';
import { reloadWebhooks, replay } from './webhook-calls';

const t = webhooksText.replay;

/** Sends the changes since a time again. */
export function ReplayDialog({ at, webhook, onClose }: WebhookTaskProps): ReactNode {
  const [choice, setChoice] = useState<ReplayChoice>('3600');
  const [time, setTime] = useState('');
  const [datagridId, setDatagridId] = useState('');
  const { data: known } = useQuery(datagridNamesQuery(at.workspaceId));
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () =>
      replay(at, {
        since: sinceOf(choice, time),
        ...(datagridId === '' ? {} : { datagridId }),
      }),
    onSettled: () => reloadWebhooks(at.workspaceId),
  });
  const { fields, rest } = formErrors(error, ['since', 'datagridId']);
  const watched = [...(known?.names ?? [])].filter(
    ([id]) => webhook.datagridIds?.includes(id) ?? true,
  );
  if (data !== undefined) {
    return (
      <Dialog title={t.title} isOpen onClose={onClose}>
        <Stack>
          <Text role="status">{data === 0 ? t.nothing : t.sent(data)}</Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>{text.actions.close}</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <Form
        submitLabel={t.submit}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{t.hint}</Text>
        <NativeSelect
          label={t.since}
          data-autofocus
          data={[...REPLAY_CHOICES]}
          value={choice}
          error={choice === 'time' ? undefined : fields.since}
          onChange={({ currentTarget }) => {
            setChoice(currentTarget.value as ReplayChoice);
          }}
        />
        {choice === 'time' && (
          <TextInput
            type="datetime-local"
            label={t.time}
            description={t.timeHint}
            value={time}
            error={fields.since}
            onChange={({ currentTarget }) => {
              setTime(currentTarget.value);
            }}
          />
        )}
        <NativeSelect
          label={t.datagrid}
          data={[
            { value: '', label: t.allDatagrids },
            ...watched.map(([value, label]) => ({ value, label })),
          ]}
          value={datagridId}
          error={fields.datagridId}
          onChange={({ currentTarget }) => {
            setDatagridId(currentTarget.value);
          }}
        />
      </Form>
    </Dialog>
  );
}
