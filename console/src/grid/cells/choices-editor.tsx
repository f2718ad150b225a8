import { useEffect, useRef, useState, type ReactNode } from 'react';

export interface ChoicesEditorProps {
  readonly title: string;
  readonly choices: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Checkboxes for several choices. A selected value that is no longer a choice can be cleared. */
export function ChoicesEditor({ title, choices, chosen, onChange }: ChoicesEditorProps): ReactNode {
  const [ticked, setTicked] = useState<readonly string[]>(chosen);
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    box.current?.querySelector('input')?.focus();
    box.current?.closest('[role="dialog"]')?.setAttribute('aria-label', title);
  }, [title]);
  const all = [...new Set([...choices, ...chosen])];
  return (
    <fieldset ref={box} className="choices-editor">
      <legend>{title}</legend>
      {all.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={ticked.includes(choice)}
            onChange={({ currentTarget: { checked } }) => {
              const next = checked ? [...ticked, choice] : ticked.filter((one) => one !== choice);
              setTicked(next);
              onChange(next);
            }}
          />
          {choice}
        </label>
      ))}
    </fieldset>
  );
}
