import { Alert, Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, type ReactNode, type SubmitEvent } from 'react';
import { text } from '../text/text';
import './form.css';

export interface FormProps {
  readonly submitLabel: string;
  readonly onSubmit: () => void;
  readonly isPending: boolean;
  /** Error of the last attempt. A new error moves the focus to the invalid field. */
  readonly error: unknown;
  /** Message without a field. */
  readonly problem: ReactNode;
  readonly onCancel?: (() => void) | undefined;
  readonly cancelLabel?: string;
  /** Whether nothing can be submitted yet. Soon over, so that the button looks as it will. */
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  readonly isWide?: boolean;
  readonly children?: ReactNode;
}

/** A form with its error message and buttons. An error does not change the input. */
export function Form(props: FormProps): ReactNode {
  const { error, problem, isPending, onCancel, isDangerous = false, isWide = false } = props;
  const { isDisabled = false } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isPending && !isDisabled) props.onSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack>
        {props.children}
        {problem && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        <Group justify="flex-end" className="form-foot">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {props.cancelLabel ?? text.actions.cancel}
            </Button>
          )}
          <Button
            type="submit"
            loading={isPending}
            aria-disabled={isDisabled}
            fullWidth={isWide}
            {...(isDangerous ? { color: 'red.9' } : {})}
          >
            {props.submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
