import { Overlay, Text } from '@mantine/core';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

export interface FileDropProps {
  /** What happens with a dropped file, such as “Drop the file to import it”. */
  readonly hint: string;
  readonly onFile: (file: File) => void;
}

/** Accepts a file that is dropped anywhere on the page. */
export function FileDrop({ hint, onFile }: FileDropProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onFile);
  useEffect(() => {
    const page = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void): void => {
      const listener = (event: DragEvent): void => {
        if (event.dataTransfer?.types.includes('Files')) act(event);
      };
      document.addEventListener(name, listener, { signal: page.signal });
    };
    on('dragover', (event) => {
      // Without this, the browser opens the file.
      event.preventDefault();
      setOver(true);
    });
    on('dragleave', (event) => {
      if (event.relatedTarget === null) setOver(false);
    });
    on('drop', (event) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) take(file);
    });
    return () => {
      page.abort();
    };
  }, []);
  return (
    isOver && (
      <Overlay fixed center zIndex={400} backgroundOpacity={0.7} style={{ pointerEvents: 'none' }}>
        <Text c="white" size="xl" fw={600}>
          {hint}
        </Text>
      </Overlay>
    )
  );
}
