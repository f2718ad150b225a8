import { Button, Group, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { gridText } from '../../text/grid-text';
import { rowIndexOf } from '../data/loading/row-page';

export interface GoToRowProps {
  readonly total: number;
  /** Index of the row, from 0. */
  readonly onGo: (index: number) => void;
}

/** Input for the number of a row to scroll to. */
export function GoToRow({ total, onGo }: GoToRowProps): ReactNode {
  const [typed, setTyped] = useState('');
  const index = rowIndexOf(typed, total);
  const isWrong = typed.trim() !== '' && index === null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (index !== null) onGo(index);
      }}
    >
      <Group gap={4} wrap="nowrap">
        <TextInput
          aria-label={gridText.toolbar.goTo}
          placeholder={gridText.toolbar.goTo}
          inputMode="numeric"
          w={96}
          size="xs"
          value={typed}
          error={isWrong}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
          }}
        />
        {index !== null && (
          <Button type="submit" variant="default" size="xs">
            {gridText.toolbar.go}
          </Button>
        )}
      </Group>
    </form>
  );
}
