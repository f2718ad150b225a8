import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';

export interface ToolButtonProps
  extends ButtonProps, Omit<ComponentProps<'button'>, keyof ButtonProps> {
  readonly icon: ReactNode;
  /** Whether what the button opens is open, or narrows the rows. */
  readonly isOn?: boolean;
  readonly children: ReactNode;
}

/** A button of the toolbar that is not its main action. */
export function ToolButton(props: ToolButtonProps): ReactNode {
  const { icon, isOn = false, className = '', children, ...rest } = props;
  const look = isOn ? { variant: 'light' } : { variant: 'subtle', color: 'gray' };
  return (
    <Button size="xs" className={`tool-button ${className}`} leftSection={icon} {...look} {...rest}>
      {children}
    </Button>
  );
}
