import { Checkbox, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { VERBATIM } from '../../common/verbatim';
import { AttemptKey } from '../../api/attempt-key';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { DatagridsField } from '../datagrids-field';
import { ShownSecret } from './shown-secret';
import {
  changedSettings,
  EVENTS,
  filterText,
  nameOf,
  NEW_WEBHOOK,
  readFilter,
  type Webhook,
  type WebhookSettings,
} from './webhook';
import { createWebhook, reloadWebhooks, updateWebhook } from './webhook-calls';

export interface WebhookDialogProps {
  readonly workspaceId: string;
  /** The webhook to edit; undefined for a new one. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
}

const t = webhooksText.form;

/** Creates a webhook and then shows its secret, or edits one. */
export function WebhookDialog({ workspaceId, webhook, onClose }: WebhookDialogProps): ReactNode {
  // The page reads the webhook again while the dialog is open. Only the user's own changes are sent.
  const [initial] = useState<WebhookSettings>(webhook ?? NEW_WEBHOOK);
  const [settings, setSettings] = useState(initial);
  const [typedFilter, setTypedFilter] = useState(() => filterText(initial.filter));
  const [isNoFilter, setIsNoFilter] = useState(false);
  const [attempt] = useState(() => new AttemptKey());
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      if (webhook) {
        const ref = { workspaceId, webhookId: webhook.id };
        await updateWebhook(ref, changedSettings(initial, settings));
        return null;
      }
      return attempt.use(JSON.stringify(settings), (key) =>
        createWebhook(workspaceId, settings, key),
      );
    },
    onSuccess: (created) => {
      if (!created) onClose();
    },
    onSettled: () => reloadWebhooks(workspaceId),
  });
  const { fields, rest } = formErrors(error, [
    'url',
    'description',
    'events',
    'datagridIds',
    'filter',
    'payload',
    'enabled',
  ]);
  if (data) return <ShownSecret title={t.created} webhook={data} onClose={onClose} />;
  const set = (change: Partial<WebhookSettings>): void => {
    setSettings({ ...settings, ...change });
  };
  return (
    <Dialog
      title={webhook ? t.editTitle(nameOf(webhook)) : t.createTitle}
      isOpen
      hasInput={settings !== initial || typedFilter !== filterText(initial.filter)}
      onClose={onClose}
    >
      <Form
        submitLabel={webhook ? text.actions.save : t.create}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          const isInvalid = readFilter(typedFilter) === undefined;
          setIsNoFilter(isInvalid);
          if (!isInvalid) mutate();
        }}
      >
        <TextInput
          label={t.url}
          description={t.urlHint}
          placeholder={t.urlExample}
          inputMode="url"
          {...VERBATIM}
          required
          maxLength={2_000}
          data-autofocus
          value={settings.url}
          error={fields.url}
          onChange={({ currentTarget: { value: url } }) => {
            set({ url });
          }}
        />
        <Textarea
          label={t.description}
          autosize
          minRows={1}
          maxRows={4}
          maxLength={2_000}
          value={settings.description}
          error={fields.description}
          onChange={({ currentTarget: { value: description } }) => {
            set({ description });
          }}
        />
        <Checkbox.Group
          label={t.events}
          value={[...settings.events]}
          error={fields.events}
          onChange={(chosen) => {
            set({
              events: EVENTS.map(({ type }) => type).filter((type) => chosen.includes(type)),
            });
          }}
        >
          <div className="webhook-events">
            {EVENTS.map(({ type, label }) => (
              <Checkbox key={type} value={type} label={label} />
            ))}
          </div>
        </Checkbox.Group>
        <DatagridsField
          workspaceId={workspaceId}
          value={settings.datagridIds}
          error={fields.datagridIds}
          onChange={(datagridIds) => {
            set({ datagridIds });
          }}
        />
        {(settings.datagridIds?.length === 1 || typedFilter !== '') && (
          <Textarea
            label={t.filter}
            description={t.filterHint}
            placeholder={t.filterExample}
            classNames={{ input: 'webhook-filter' }}
            autosize
            minRows={2}
            maxRows={12}
            {...VERBATIM}
            value={typedFilter}
            error={isNoFilter ? t.noFilter : fields.filter}
            onChange={({ currentTarget: { value: typed } }) => {
              setTypedFilter(typed);
              setIsNoFilter(false);
              const filter = readFilter(typed);
              if (filter !== undefined) set({ filter });
            }}
          />
        )}
        <Radio.Group
          label={t.content}
          value={settings.payload}
          error={fields.payload}
          onChange={(payload) => {
            set({ payload: payload === 'thin' ? 'thin' : 'full' });
          }}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="full" label={webhooksText.payloads.full} />
            <Radio value="thin" label={webhooksText.payloads.thin} />
          </Stack>
        </Radio.Group>
        <Checkbox
          label={t.enabled}
          description={t.enabledHint}
          checked={settings.enabled}
          error={fields.enabled}
          onChange={({ currentTarget: { checked: enabled } }) => {
            set({ enabled });
          }}
        />
      </Form>
    </Dialog>
  );
}
