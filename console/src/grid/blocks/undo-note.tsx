import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { gridText } from '../../text/grid-text';

/** Tells the user what was done, with a button that undoes it. */
export function showUndoNote(name: string, onUndo: () => void): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between">
        {name}
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          {gridText.blocks.undo}
        </Button>
      </Group>
    ),
  });
}
