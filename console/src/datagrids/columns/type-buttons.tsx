import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import { COLUMN_TYPE_NAMES, type ColumnType, typeLabel } from '../column-type';
import { ColumnTypeIcon } from '../column-type-icon';
import './type-buttons.css';

/** Time after which typed letters are the beginning of another name. */
const TYPING_MS = 1_000;

export interface TypeButtonsProps {
  readonly type: ColumnType;
  readonly onChange: (type: ColumnType) => void;
}

/** Returns the first type whose name begins with a text. */
const typeWith = (beginning: string): ColumnType | undefined =>
  COLUMN_TYPE_NAMES.find((type) => type.toLowerCase().startsWith(beginning));

/** A button for each type, so that one click chooses it. With the focus, letters and arrows choose. */
export function TypeButtons({ type: chosen, onChange }: TypeButtonsProps): ReactNode {
  const name = useId();
  const group = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', atMs: 0 });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!/^[a-z]$/i.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { text, atMs } = typed.current;
    const letter = event.key.toLowerCase();
    const isNew = event.timeStamp - atMs > TYPING_MS;
    const longer = (isNew ? '' : text) + letter;
    const beginning = typeWith(longer) ? longer : letter;
    typed.current = { text: beginning, atMs: event.timeStamp };
    const type = typeWith(beginning);
    if (!type) return;
    onChange(type);
    group.current?.querySelector<HTMLInputElement>(`input[value="${type}"]`)?.focus();
  };
  return (
    <div
      role="radiogroup"
      aria-label={datagridsText.column.type}
      className="type-buttons"
      ref={group}
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) typed.current = { text: '', atMs: 0 };
      }}
    >
      {COLUMN_TYPE_NAMES.map((type) => (
        <label key={type} className="type-button">
          <input
            type="radio"
            name={name}
            value={type}
            checked={type === chosen}
            onChange={() => {
              onChange(type);
            }}
          />
          <ColumnTypeIcon type={type} />
          {typeLabel(type)}
        </label>
      ))}
    </div>
  );
}
