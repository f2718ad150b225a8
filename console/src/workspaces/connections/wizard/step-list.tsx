import type { ReactNode } from 'react';
import { STEPS, type Step } from '../draft';

/** Lists the steps of the wizard, and marks the current one. */
export function StepList({ current }: { readonly current: Step }): ReactNode {
  const index = STEPS.findIndex(({ id }) => id === current);
  return (
    <nav aria-label="Steps">
      <ol className="wizard-steps">
        {STEPS.map(({ id, title }, number) => (
          <li
            key={id}
            aria-current={id === current ? 'step' : undefined}
            data-done={number < index || undefined}
          >
            {title}
          </li>
        ))}
      </ol>
    </nav>
  );
}
