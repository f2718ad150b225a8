import { Button, type ButtonProps } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { text as texts } from '../text/text';
import { copyText } from './copy-text';

const SHOWN_MS = 2_500;

export interface CopyButtonProps extends ButtonProps {
  /** The text, or a function that returns it. */
  readonly text: string | (() => string);
  /** Label for screen readers, such as `Copy key`. */
  readonly label: string;
}

export function CopyButton({ text, label, ...rest }: CopyButtonProps): ReactNode {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => {
      setOutcome(undefined);
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [outcome]);
  const copy = async (): Promise<void> => {
    setOutcome((await copyText(typeof text === 'string' ? text : text())) ? 'copied' : 'failed');
  };
  return (
    <>
      <Button variant="default" size="xs" {...rest} onClick={() => void copy()}>
        {outcome === 'copied' ? texts.copying.copied : label}
      </Button>
      <span role="status" className="visually-hidden">
        {outcome === 'copied' && texts.copying.done}
        {outcome === 'failed' && texts.copying.failed}
      </span>
    </>
  );
}
