import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isApiError, messageOf } from '../api/api-error';
import { Problem } from '../common/problem';
import { sqlText } from '../text/sql-text';
import { keepDraft, readDraft, type Draft } from './drafts';
import { ResultPanel, type ResultView } from './result-panel';
import { SaveActions } from './save-actions';
import { readQuery, runSql, schemaQuery, type QueryVersion } from './sql-calls';
import { SqlEditor } from './sql-editor';
import type { SqlResult } from './sql-result';

interface StatementPanelProps {
  readonly workspaceId: string;
  /** Storage key of the draft. */
  readonly draftKey: string;
  /** The open query; `undefined` for a statement without a name. */
  readonly opened: QueryVersion | undefined;
  /** Chooses another query. */
  readonly chooser: ReactNode;
  readonly onOpen: (id: string | null) => void;
}

/** A statement with its result. What is typed stays until it is saved or discarded. */
export function StatementPanel(props: StatementPanelProps): ReactNode {
  const { workspaceId, draftKey, opened, chooser, onOpen } = props;
  const { data: schema } = useQuery(schemaQuery(workspaceId));
  const [draft, setDraft] = useState(() => readDraft(draftKey));
  /** How results are shown, also the next one. */
  const [view, setView] = useState<ResultView>('table');
  /** Key of the editor. A new key replaces its text. */
  const [edition, setEdition] = useState(0);
  const saved = opened?.query.sql ?? '';
  const sql = draft?.sql ?? saved;
  const etag = draft?.etag ?? opened?.etag;
  /** The text of the editor and its draft after the last change, for calls that end later. */
  const latest = useRef({ text: sql, draft });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = useMutation({
    mutationFn: async (statement: string) => {
      const controller = new AbortController();
      running.current = controller;
      return { sql: statement, result: await runSql(workspaceId, statement, controller.signal) };
    },
  });
  const keep = (next: Draft | null): void => {
    latest.current.draft = next;
    setDraft(next);
    keepDraft(draftKey, next);
  };
  const forget = (): void => {
    keep(null);
  };
  /** Shows the query as others have left it. The draft stays if it cannot be read. */
  const revert = useMutation({
    mutationFn: async () => {
      const stored = opened && (await readQuery(workspaceId, opened.query.id));
      latest.current.text = stored?.query.sql ?? '';
      forget();
      setEdition((number) => number + 1);
    },
    onError: (error) => {
      notifications.show({ color: 'red', title: sqlText.saved.notRead, message: messageOf(error) });
    },
  });
  const isRunning = run.isPending;
  const isCanceled = run.error instanceof DOMException && run.error.name === 'AbortError';
  const start = (): void => {
    // The last letters may not be rendered yet.
    const { text } = latest.current;
    if (!isRunning && text.trim() !== '') run.mutate(text);
  };
  const [table] = Object.keys(schema ?? {});
  return (
    <>
      <Group gap="xs" mb="xs">
        {chooser}
        {draft && opened && <Badge color="yellow">{sqlText.saved.changed}</Badge>}
        <SaveActions
          {...{ workspaceId, opened, sql, etag, onOpen }}
          isChanged={draft !== null}
          onSaved={(stored, version) => {
            // What was typed meanwhile changes the version that was saved.
            const { text } = latest.current;
            keep(text === stored ? null : { sql: text, etag: version });
          }}
          onDeleted={forget}
          onRenamed={(version) => {
            const kept = latest.current.draft;
            // The draft changes the version that was renamed here.
            if (kept && kept.etag === opened?.etag) keep({ ...kept, etag: version });
          }}
          onRevert={() => {
            revert.mutate();
          }}
        />
      </Group>
      <SqlEditor
        key={edition}
        label={sqlText.editor}
        initial={sql}
        placeholder={table === undefined ? sqlText.placeholder : sqlText.example(table)}
        schema={schema}
        onChange={(typed) => {
          latest.current.text = typed;
          keep(typed === saved ? null : { sql: typed, etag });
        }}
        onRun={start}
      />
      <Group gap="sm" my="xs">
        {isRunning ? (
          <Button key="cancel" variant="default" onClick={() => running.current?.abort()}>
            {sqlText.cancel}
          </Button>
        ) : (
          <Button key="run" disabled={sql.trim() === ''} title={sqlText.runKeys} onClick={start}>
            {sqlText.run}
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {isRunning && sqlText.running}
          {!isRunning && isCanceled && sqlText.canceled}
          {!isRunning && !run.error && run.data && doneText(run.data.result)}
        </Text>
      </Group>
      {!isRunning && run.error && !isCanceled && (
        <StatementProblem error={run.error} onRetry={start} />
      )}
      {!isRunning && run.data && (
        <ResultPanel
          workspaceId={workspaceId}
          sql={run.data.sql}
          result={run.data.result}
          name={opened?.query.name ?? sqlText.result}
          view={view}
          onView={setView}
        />
      )}
      {!isRunning && !run.data && !run.error && (
        <Text size="sm" c="dimmed">
          {sqlText.noResult}
        </Text>
      )}
    </>
  );
}

function doneText({ rows, durationMs }: SqlResult): string {
  const seconds = (durationMs / 1_000).toLocaleString(undefined, { maximumFractionDigits: 2 });
  return sqlText.done(rows.length, seconds);
}

interface StatementProblemProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Says why a statement failed. */
function StatementProblem({ error, onRetry }: StatementProblemProps): ReactNode {
  const isOwn = isApiError(error) && (error.status === 400 || error.status === 403);
  if (!isOwn) return <Problem error={error} onRetry={onRetry} />;
  return (
    <Alert color="red" title={sqlText.failed} role="alert">
      {messageOf(error)}
    </Alert>
  );
}
