import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, type RefObject } from 'react';
import { messageOf } from '../../../api/api-error';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { rowsOf, type BlockContext } from '../blocks/block-actions';
import { MAX_CHANGED_ROWS } from '../blocks/block-write';
import { followChecks } from './follow-checks';
import type { RowChecks } from './row-checks';

/** Lets users check rows. Rows that the grid has not loaded are read. */
export function useChecks(
  root: RefObject<HTMLElement | null>,
  context: BlockContext | undefined,
  checks: RowChecks,
): void {
  /** Passes the rows from one index to another one on, unless the checks have changed meanwhile. */
  const read = async (
    top: number,
    bottom: number,
    onRead: (rows: readonly KnownRow[]) => void,
  ): Promise<void> => {
    if (!context) return;
    const before = checks.current();
    try {
      const rows = await rowsOf(context, { top, bottom, left: 0, right: 0 });
      if (checks.current() === before) onRead(rows);
    } catch (error) {
      checks.replace(before);
      notifications.show({
        color: 'red',
        title: gridText.checks.failed,
        message: messageOf(error),
      });
    }
  };
  const checkRange = useEffectEvent((from: number, to: number, isOn: boolean) => {
    const [top, bottom] = from < to ? [from, to] : [to, from];
    const most = MAX_CHANGED_ROWS.toLocaleString();
    if (bottom - top >= MAX_CHANGED_ROWS) {
      checks.replace(checks.current());
      const count = (bottom - top + 1).toLocaleString();
      notifications.show({ color: 'yellow', message: gridText.checks.tooMany(count, most) });
      return;
    }
    void read(top, bottom, (rows) => {
      checks.set(rows, isOn);
    });
  });
  const checkAll = useEffectEvent((isOn: boolean) => {
    const total = context?.api.getDisplayedRowCount() ?? 0;
    if (!isOn) checks.clear();
    else if (total > 0) {
      void read(0, Math.min(total, MAX_CHANGED_ROWS) - 1, (rows) => {
        checks.replace(rows);
        if (total <= MAX_CHANGED_ROWS) return;
        const [most, count] = [MAX_CHANGED_ROWS, total].map((one) => one.toLocaleString());
        notifications.show({
          color: 'yellow',
          message: gridText.checks.first(most ?? '', count ?? ''),
        });
      });
    }
  });

  const api = context?.api;
  useEffect(() => {
    const element = root.current;
    if (!element || !api) return undefined;
    const stops = [
      followChecks(element, api, checks, (from, to, isOn) => {
        checkRange(from, to, isOn);
      }),
      checks.attach((isOn) => {
        checkAll(isOn);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [root, api, checks]);
}
