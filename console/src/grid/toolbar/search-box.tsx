import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { usePhone } from '../../common/use-phone';
import { gridText } from '../../text/grid-text';

export interface SearchBoxProps {
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

/** Searches all text columns when Enter is pressed, because a search may be expensive. */
export function SearchBox({ q, onSearch }: SearchBoxProps): ReactNode {
  const isPhone = usePhone();
  const [typed, setTyped] = useState(q);
  const [shown, setShown] = useState(q);
  if (shown !== q) {
    setShown(q);
    setTyped(q);
  }
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(typed);
      }}
    >
      <TextInput
        type="search"
        size="xs"
        aria-label={gridText.toolbar.search}
        placeholder={isPhone ? gridText.toolbar.searchShort : gridText.toolbar.searchHint}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          if (value === '') onSearch('');
        }}
      />
    </form>
  );
}
