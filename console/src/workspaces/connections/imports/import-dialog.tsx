import {
  Button,
  Group,
  MultiSelect,
  Radio,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { VERBATIM } from '../../../common/verbatim';
import { AttemptKey } from '../../../api/attempt-key';
import { Dialog } from '../../../common/dialog';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { Problem } from '../../../common/problem';
import { datagridQuery } from '../../../datagrids/datagrid-calls';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { datagridNamesQuery } from '../../../datagrids/datagrid-names';
import type { ConnectionRef } from '../connection-calls';
import { createImport, previewImport, reloadImports, updateImport } from './import-calls';
import {
  importBody,
  importChanges,
  importDraftOf,
  importProblems,
  NEW_IMPORT,
  previewBody,
  type ImportDraft,
  type PreviewBody,
  type ImportProblems,
} from './import-draft';
import { PreviewTable } from './preview-table';
import type { ScheduledImport } from './scheduled-import';

const { form: t, preview: previewText } = connectionsText.imports;

export interface ImportDialogProps {
  readonly at: ConnectionRef;
  /** `undefined` for a new one. */
  readonly saved: ScheduledImport | undefined;
  readonly onClose: () => void;
}

const FIELDS = [
  'name',
  'query',
  'table',
  'datagridId',
  'keyColumns',
  'missingRows',
  'intervalSeconds',
] as const;

type Errors = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

/** Creates or edits a scheduled import, with a preview of its query. */
export function ImportDialog({ at, saved, onClose }: ImportDialogProps): ReactNode {
  // The page reads the import again while the dialog is open. Only the user's own changes are sent.
  const [initial] = useState(() => (saved ? importDraftOf(saved) : NEW_IMPORT));
  const [draft, setDraft] = useState(initial);
  const [problems, setProblems] = useState<ImportProblems>({});
  const [attempt] = useState(() => new AttemptKey());
  const save = useMutation({
    mutationFn: () => {
      if (saved) return updateImport(at, saved.id, importChanges(initial, draft));
      const body = importBody(draft);
      return attempt.use(JSON.stringify(body), (key) => createImport(at, body, key));
    },
    onSuccess: onClose,
    onSettled: () => reloadImports(at),
  });
  const preview = useMutation({ mutationFn: (body: PreviewBody) => previewImport(at, body) });
  const bodyOf = (of: ImportDraft): PreviewBody => previewBody(of, saved?.columns ?? null);
  const isOfDraft = JSON.stringify(preview.variables) === JSON.stringify(bodyOf(draft));
  /** Whether a run would fail, as the user has seen. */
  const isRejected = isOfDraft && preview.data?.ok === false;
  /** Saves the import, unless a preview says that a run would fail. */
  const checkAndSave = (): void => {
    const isNew = !saved || JSON.stringify(bodyOf(initial)) !== JSON.stringify(bodyOf(draft));
    if (isRejected || !isNew) {
      save.mutate();
      return;
    }
    preview.mutate(bodyOf(draft), {
      onSuccess: ({ ok }) => {
        if (ok) save.mutate();
      },
      onError: () => {
        // Without a preview, the service checks what it can.
        preview.reset();
        save.mutate();
      },
    });
  };
  const { fields, rest } = formErrors(save.error, FIELDS);
  const hasProblems = Object.keys(problems).length > 0;
  const errors: Errors = { ...fields, ...problems };
  const change = (values: Partial<ImportDraft>): void => {
    const next = { ...draft, ...values };
    setDraft(next);
    // What is corrected is no longer marked.
    if (hasProblems) setProblems(importProblems(next));
  };
  const submitLabel = saved ? text.actions.save : text.actions.create;
  const title = saved ? t.editTitle(saved.name) : t.createTitle;
  return (
    <Dialog title={title} isOpen hasInput={draft !== initial} onClose={onClose}>
      <Form
        submitLabel={isRejected ? t.saveAnyway : submitLabel}
        isPending={save.isPending || preview.isPending}
        error={hasProblems ? problems : save.error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          const found = importProblems(draft);
          setProblems(found);
          if (Object.keys(found).length === 0) checkAndSave();
        }}
      >
        <TextInput
          label={t.name}
          required
          maxLength={200}
          data-autofocus
          value={draft.name}
          error={errors.name}
          onChange={({ currentTarget }) => {
            change({ name: currentTarget.value });
          }}
        />
        <SourceFields draft={draft} errors={errors} onChange={change} />
        <TargetFields at={at} draft={draft} errors={errors} onChange={change} />
        <ScheduleField draft={draft} errors={errors} onChange={change} />
        <Group>
          <Button
            variant="default"
            size="xs"
            loading={preview.isPending}
            onClick={() => {
              preview.mutate(bodyOf(draft));
            }}
          >
            {previewText.show}
          </Button>
        </Group>
        {preview.error && <Problem error={preview.error} title={previewText.failed} />}
        {preview.isSuccess && <PreviewTable preview={preview.data} of={preview.variables} />}
      </Form>
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: ImportDraft;
  readonly errors: Errors;
  readonly onChange: (change: Partial<ImportDraft>) => void;
}

/** What is read: a query or a table. */
function SourceFields({ draft, errors, onChange }: FieldsProps): ReactNode {
  return (
    <Radio.Group
      label={t.source}
      value={draft.isTable ? 'table' : 'query'}
      onChange={(value) => {
        onChange({ isTable: value === 'table' });
      }}
    >
      <Stack gap="xs" mt={4}>
        <Radio value="query" label={t.fromQuery} />
        <Radio value="table" label={t.fromTable} />
        {draft.isTable ? (
          <TextInput
            label={t.table}
            description={t.tableHint}
            maxLength={127}
            {...VERBATIM}
            value={draft.table}
            error={errors.table}
            onChange={({ currentTarget }) => {
              onChange({ table: currentTarget.value });
            }}
          />
        ) : (
          <Textarea
            label={t.query}
            description={t.queryHint}
            autosize
            minRows={3}
            maxRows={12}
            maxLength={20_000}
            {...VERBATIM}
            className="import-query"
            value={draft.query}
            error={errors.query}
            onChange={({ currentTarget }) => {
              onChange({ query: currentTarget.value });
            }}
          />
        )}
      </Stack>
    </Radio.Group>
  );
}

interface TargetProps extends FieldsProps {
  readonly at: ConnectionRef;
}

/** The datagrid, its key columns, and what happens to rows that the result lacks. */
function TargetFields({ at, draft, errors, onChange }: TargetProps): ReactNode {
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  const { datagridId, keyColumns, missingRows } = draft;
  const { data: datagrid } = useQuery({
    ...datagridQuery(datagridId ?? ''),
    enabled: datagridId !== null,
  });
  const unique = (datagrid?.columns ?? []).filter((column) => column.unique);
  const keys = new Set([...unique.map(({ key }) => key), ...keyColumns]);
  return (
    <>
      <Select
        label={t.datagrid}
        placeholder={t.chooseDatagrid}
        data={[...(datagrids?.names ?? [])].map(([value, label]) => ({ value, label }))}
        searchable
        limit={100}
        nothingFoundMessage={t.noneFound}
        value={datagridId}
        error={errors.datagridId}
        onChange={(value) => {
          onChange({ datagridId: value, keyColumns: [] });
        }}
      />
      <MultiSelect
        label={t.keys}
        description={t.keysHint}
        placeholder={keyColumns.length === 0 ? t.chooseKeys : ''}
        data={[...keys]}
        maxValues={4}
        disabled={datagridId === null}
        nothingFoundMessage={t.noneUnique}
        value={[...keyColumns]}
        error={errors.keyColumns}
        onChange={(chosen) => {
          onChange({ keyColumns: chosen });
        }}
      />
      <Radio.Group
        label={t.missing}
        value={missingRows}
        error={errors.missingRows}
        onChange={(value) => {
          onChange({ missingRows: value === 'delete' ? 'delete' : 'keep' });
        }}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="keep" label={t.keepMissing} />
          <Radio value="delete" label={t.deleteMissing} description={t.deleteMissingHint} />
        </Stack>
      </Radio.Group>
    </>
  );
}

function ScheduleField({ draft, errors, onChange }: FieldsProps): ReactNode {
  return (
    <Radio.Group
      label={t.when}
      value={draft.isScheduled ? 'schedule' : 'request'}
      error={draft.isScheduled ? undefined : errors.intervalSeconds}
      onChange={(value) => {
        onChange({ isScheduled: value === 'schedule' });
      }}
    >
      <Stack gap="xs" mt={4}>
        <Radio value="schedule" label={t.onSchedule} />
        <Radio value="request" label={t.onDemand} />
        {draft.isScheduled && (
          <TextInput
            label={t.minutes}
            inputMode="decimal"
            maw="16rem"
            value={draft.minutes}
            error={errors.intervalSeconds}
            onChange={({ currentTarget }) => {
              onChange({ minutes: currentTarget.value });
            }}
          />
        )}
      </Stack>
    </Radio.Group>
  );
}
