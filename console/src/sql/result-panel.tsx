import { Alert, Button, Group, Menu, SegmentedControl, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy, memo, Suspense, useMemo, type ReactNode } from 'react';
import { messageOf } from '../api/api-error';
import { CopyButton } from '../common/copy-button';
import { IN_MAIN } from '../common/in-main';
import { Loading } from '../common/loading';
import { sqlText } from '../text/sql-text';
import { chartOf } from './chart-data';
import { downloadResult, type FileEnding } from './result-file';
import { ResultTable } from './result-table';
import { csvOf, type SqlResult } from './sql-result';

const ResultChart = lazy(() => import('./result-chart'));

export type ResultView = 'table' | 'chart';

interface ResultPanelProps {
  readonly workspaceId: string;
  /** The statement of the result. */
  readonly sql: string;
  readonly result: SqlResult;
  /** Name of the files. */
  readonly name: string;
  readonly view: ResultView;
  readonly onView: (view: ResultView) => void;
}

/** The result of a statement as a table or a chart, and its files. */
export const ResultPanel = memo(function ResultPanel(props: ResultPanelProps): ReactNode {
  const { workspaceId, sql, result, name, view, onView } = props;
  const { rows, isTruncated } = result;
  const chart = useMemo(() => chartOf(result), [result]);
  const save = useMutation({
    mutationFn: (ending: FileEnding) => downloadResult(workspaceId, sql, name, ending),
  });
  return (
    <section className="sql-result" aria-label={sqlText.result}>
      <Group gap="xs" mb="xs" justify="flex-end">
        <SegmentedControl
          size="xs"
          aria-label={sqlText.show}
          value={view}
          data={[
            { value: 'table', label: sqlText.views.table },
            { value: 'chart', label: sqlText.views.chart },
          ]}
          onChange={(value) => {
            onView(value === 'chart' ? 'chart' : 'table');
          }}
        />
        <CopyButton text={() => csvOf(result)} label={sqlText.copyCsv} />
        <Menu position="bottom-end" portalProps={IN_MAIN}>
          <Menu.Target>
            <Button variant="default" size="xs" loading={save.isPending}>
              {sqlText.download}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['csv', 'ndjson', 'parquet'] as const).map((ending) => (
              <Menu.Item
                key={ending}
                onClick={() => {
                  save.mutate(ending);
                }}
              >
                {sqlText[ending]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      {save.error && (
        <Alert color="red" role="alert" mb="xs">
          {messageOf(save.error)}
        </Alert>
      )}
      {isTruncated && (
        <Text size="sm" mb="xs">
          {sqlText.truncated(rows.length.toLocaleString())}
        </Text>
      )}
      {view === 'table' && <ResultTable result={result} />}
      {view === 'chart' &&
        (chart ? (
          <Suspense fallback={<Loading />}>
            <ResultChart chart={chart} />
          </Suspense>
        ) : (
          <Text size="sm">{sqlText.noChart}</Text>
        ))}
    </section>
  );
});
