import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { gridText } from '../../../text/grid-text';
import type { Step } from './undo-stack';

/** Messages that are or were shown, by step. */
const shown = new WeakMap<Step, string>();

/** Hides the message of a step that was undone in another way. */
export function hideUndoNote(step: Step): void {
  const id = shown.get(step);
  if (id !== undefined) notifications.hide(id);
}

/** Tells the user what was done, with a button that undoes it. */
export function showUndoNote(step: Step, onUndo: () => void): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between">
        {step.name}
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
  shown.set(step, id);
}
