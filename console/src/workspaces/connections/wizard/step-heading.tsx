import { Title } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';

export interface StepHeadingProps {
  readonly children: string;
  /** True if the form shows an error, whose field has the focus. */
  readonly isQuiet?: boolean;
}

/** Heading of a step. It gets the focus when the step is shown, so that screen readers announce it. */
export function StepHeading({ children, isQuiet = false }: StepHeadingProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isFocused] = useState(!isQuiet);
  useEffect(() => {
    if (isFocused) heading.current?.focus();
  }, [isFocused]);
  return (
    <Title order={2} size="h4" mb="md" ref={heading} tabIndex={-1} className="wizard-heading">
      {children}
    </Title>
  );
}
