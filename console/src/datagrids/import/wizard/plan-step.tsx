import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { randomKey } from '../../../api/attempt-key';
import { Problem } from '../../../common/problem';
import { importText } from '../../../text/import-text';
import type { ColumnType } from '../../column-type';
import type { Column, Datagrid } from '../../datagrid';
import { storedColumns } from '../../stored-columns';
import type { CheckResult, CheckTask } from '../plan/check';
import { planProblem, proposePlan, writtenColumns, type ImportPlan } from '../plan/plan';
import type { RunningTask } from '../plan/use-file-task';
import { lineUnitOf, type FileFormat } from '../read/record';
import type { Sample } from '../read/source';
import type { ChosenImport } from './chosen-import';
import { CheckSummary } from './check-summary';
import { ExistingRows } from './existing-rows';
import { FileSettings } from './file-settings';
import { PreviewTable } from './preview-table';
import { TypeHints } from './type-hints';
import { useCheck } from './use-check';
import './import.css';

export interface PlanStepProps {
  readonly file: File;
  readonly sample: Sample;
  /** Absent for a new datagrid. */
  readonly datagrid: Datagrid | undefined;
  /** Whether the user may create columns, and turn history on. */
  readonly mayCreate: boolean;
  readonly onFormat: (format: FileFormat) => void;
  readonly onStart: (chosen: ChosenImport) => void;
  readonly onAnother: () => void;
}

const t = importText.plan;

/** Returns how many rows will be imported and how many will not, once the check says so. */
function countsOf({ result }: RunningTask<CheckResult>): string {
  return result ? t.counts(result.rows - result.rejected, result.rejected) : '';
}

const NO_COLUMNS: readonly Column[] = [];

/** Shows how a file was understood, checks all of it, and starts the import. */
export function PlanStep(props: PlanStepProps): ReactNode {
  const { file, sample, datagrid, mayCreate, onFormat, onStart, onAnother } = props;
  const existing = useMemo(() => storedColumns(datagrid?.columns ?? NO_COLUMNS), [datagrid]);
  const [plan, setAnyPlan] = useState(() => proposePlan(sample, { existing, mayCreate }));
  // A column that is no longer written cannot identify rows.
  const setPlan = (next: ImportPlan): void => {
    const isWritten = writtenColumns(next, existing).some(
      ({ column: { key } }) => key === next.matchOn,
    );
    setAnyPlan(isWritten ? next : { ...next, matchOn: '' });
  };
  const [name, setName] = useState(() => file.name.replace(/(\.\w{1,6}){1,2}$/, '').slice(0, 200));
  const chooseType = (at: number, type: ColumnType): void => {
    const column = plan.columns[at];
    if (column) setPlan({ ...plan, columns: plan.columns.with(at, { ...column, type }) });
  };
  const matchOn = (key: string): void => {
    setPlan({ ...plan, matchOn: key });
  };
  const written = useMemo(() => writtenColumns(plan, existing), [plan, existing]);
  const task = useMemo((): CheckTask => ({ file, plan, written }), [file, plan, written]);
  const check = useCheck(task, datagrid?.id);
  const [keepsHistory, setKeepsHistory] = useState(mayCreate);
  const turnsHistoryOn = plan.matchOn !== '' && datagrid?.history === false && keepsHistory;
  const problem = planProblem(plan) ?? (name.trim() === '' ? t.noName : undefined);
  const fitting = check.result ? check.result.rows - check.result.rejected : 0;
  const unique = existing.filter(
    (column) => column.unique && written.some((one) => one.column.key === column.key),
  );
  return (
    <Stack className="import-plan">
      {!datagrid && (
        <TextInput
          label={t.name}
          maxLength={200}
          value={name}
          onChange={({ currentTarget: { value } }) => {
            setName(value);
          }}
        />
      )}
      <FileSettings plan={plan} onFormat={onFormat} onPlan={setPlan} />
      {datagrid && (
        <ExistingRows
          hasUnique={existing.some((column) => column.unique)}
          unique={unique}
          matchOn={plan.matchOn}
          hasHistory={datagrid.history}
          turnsHistoryOn={mayCreate ? keepsHistory : undefined}
          onMatch={matchOn}
          onTurnHistoryOn={setKeepsHistory}
        />
      )}
      <PreviewTable
        sample={sample}
        plan={plan}
        existing={existing}
        mayCreate={mayCreate}
        onPlan={setPlan}
      />
      <TypeHints plan={plan} onChoose={chooseType} />
      {check.error === undefined ? (
        <CheckSummary
          check={check}
          unit={lineUnitOf(plan.format)}
          isNew={(at) => plan.columns[at]?.target.kind === 'new'}
          onMakeText={(at) => {
            chooseType(at, 'text');
          }}
          onMatch={(at) => {
            matchOn(written.find((one) => one.at === at)?.column.key ?? '');
          }}
        />
      ) : (
        <Problem error={check.error} title={t.notRead} />
      )}
      {(plan.emptiesMisfits || mayEmpty(check.result)) && (
        <NativeSelect
          label={t.misfits}
          value={plan.emptiesMisfits ? 'empty' : 'reject'}
          data={[
            { value: 'reject', label: t.rejectMisfits },
            { value: 'empty', label: t.emptyMisfits },
          ]}
          onChange={({ currentTarget: { value } }) => {
            setPlan({ ...plan, emptiesMisfits: value === 'empty' });
          }}
        />
      )}
      <Group className="import-foot import-actions" role="group" aria-label={t.foot}>
        <Text size="sm" className="import-counts">
          {problem ?? countsOf(check)}
        </Text>
        <Button variant="default" onClick={onAnother}>
          {importText.dialog.another}
        </Button>
        <Button
          disabled={problem !== undefined || fitting === 0}
          onClick={() => {
            const result = check.result;
            if (!result) return;
            const { taken } = result;
            const chosen = { file, plan, written, taken, check: result, turnsHistoryOn };
            onStart({ ...chosen, name: name.trim(), key: randomKey() });
          }}
        >
          {check.result ? t.startRows(fitting) : t.start}
        </Button>
      </Group>
    </Stack>
  );
}

/** Whether a value that does not fit could be left empty. */
const mayEmpty = (check: CheckResult | undefined): boolean =>
  check?.misfits.some(({ outcome }) => outcome === 'emptiable') === true;
