import type { CustomCellEditorProps } from 'ag-grid-react';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { useLeaveGuard } from '../../common/leave-guard';
import type { Column } from '../../datagrids/datagrid';
import type { KnownRow } from '../edits/row-edit';
import { choicesOf, withLineEndsOf } from '../values/shown-value';
import { ChoicesEditor } from './choices-editor';
import { INPUT_MODES, PLACEHOLDERS } from './input-hints';
import { choicesFor, startValue } from './start-value';

interface Props extends CustomCellEditorProps<KnownRow, string> {
  readonly of: Column;
}

/** Longer than what a cell shows: edited over the neighbours. */
const LONG = 40;

export function isLongText({ type }: Column, value: string): boolean {
  if (type === 'multiSelect' || type === 'json') return true;
  return type === 'text' && (value.length > LONG || value.includes('\n'));
}

/** Edits one cell as text. What was typed is judged by the service, not here. */
export function ValueEditor(props: Props): ReactNode {
  const { initialValue, value, onValueChange, eventKey, of: column } = props;
  const initial = typeof initialValue === 'string' ? initialValue : '';
  const started = startValue(column, initial, eventKey);
  useLeaveGuard((value ?? '') !== initial);
  const field = useRef<HTMLElement>(null);
  // It keeps its own text from then on.
  const begin = useEffectEvent(() => {
    if (started !== initial) onValueChange(started);
    const { current } = field;
    current?.focus();
    if (current instanceof HTMLInputElement || current instanceof HTMLTextAreaElement) {
      current.setSelectionRange(started === initial ? 0 : started.length, started.length);
    }
  });
  useEffect(() => {
    begin();
  }, []);
  // Where it stands over the grid, the grid makes a dialog without a name.
  const hold = (element: HTMLElement | null): void => {
    field.current = element;
    element?.closest('[role="dialog"]')?.setAttribute('aria-label', column.title);
  };
  const common = { 'aria-label': column.title, className: 'value-editor' };

  if (column.type === 'boolean' || column.type === 'select') {
    const choices = choicesFor(column);
    return (
      <select
        {...common}
        ref={hold}
        defaultValue={started}
        onChange={({ currentTarget }) => {
          onValueChange(currentTarget.value);
        }}
      >
        <option value="">(no value)</option>
        {[...new Set([...choices, ...(initial === '' ? [] : [initial])])].map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (column.type === 'multiSelect') {
    return (
      <ChoicesEditor
        title={column.title}
        choices={column.options.choices ?? []}
        chosen={choicesOf(started)}
        onChange={(chosen) => {
          onValueChange(chosen.length === 0 ? '' : JSON.stringify(chosen));
        }}
      />
    );
  }
  if (column.type === 'text' || column.type === 'json') {
    const isLong = isLongText(column, initial);
    return (
      <textarea
        {...common}
        className={isLong ? 'value-editor value-editor-long' : 'value-editor'}
        ref={hold}
        rows={isLong ? 8 : 1}
        defaultValue={started}
        onChange={({ currentTarget: { value } }) => {
          onValueChange(withLineEndsOf(initial, value));
        }}
      />
    );
  }
  return (
    <input
      {...common}
      ref={hold}
      type="text"
      placeholder={PLACEHOLDERS[column.type]}
      inputMode={INPUT_MODES[column.type] ?? 'text'}
      defaultValue={started}
      onChange={({ currentTarget }) => {
        onValueChange(currentTarget.value);
      }}
    />
  );
}
