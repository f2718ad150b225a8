import { datagridAddress } from '../../../datagrids/datagrid-link';
import type { Column } from '../../../datagrids/datagrid';
import { linksText } from '../../../text/links-text';
import { linkedIds } from './linked-ids';
import { MAX_LISTED } from './links-as-text';
import type { LinkTitles } from './link-titles';
import './link-chips.css';

const t = linksText.chips;

/** What a cell of links needs to draw itself. */
export interface LinkCellContext {
  readonly titles: LinkTitles;
  /** Opens a page of the console. */
  readonly open: (address: string) => void;
}

/**
 * Returns the linked rows of a cell as chips with their titles, or their ids. The arrow of a chip is a
 * link to the row. Its text is part of the cell, so that a click selects the cell.
 */
export function linkChips(
  { titles, open }: LinkCellContext,
  column: Column,
  typed: string,
): HTMLElement[] {
  const { datagridId } = column.options;
  const ids = linkedIds(column, typed);
  if (datagridId === undefined || ids.length === 0) return [textOf(typed)];
  const chips = ids.slice(0, MAX_LISTED).map((id) => {
    const title = titles.titleOf(datagridId, id) ?? id;
    return chip(title, datagridAddress(datagridId, id), open);
  });
  return ids.length > MAX_LISTED ? [...chips, moreThan(ids.length - MAX_LISTED)] : chips;
}

function chip(title: string, address: string, open: LinkCellContext['open']): HTMLElement {
  const element = document.createElement('span');
  element.classList.add('cell-chip', 'link-chip');
  const text = document.createElement('span');
  text.className = 'link-chip-text';
  text.textContent = title;
  const link = document.createElement('a');
  link.href = address;
  link.className = 'link-chip-open';
  link.tabIndex = -1;
  link.setAttribute('aria-label', t.open(title));
  // The press selects no cell, and ends no edit.
  link.addEventListener('pointerdown', (event) => {
    event.stopPropagation();
  });
  link.addEventListener('click', (event) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(address);
  });
  element.append(text, link);
  return element;
}

function textOf(typed: string): HTMLElement {
  const element = document.createElement('span');
  element.className = 'value-cell-text';
  element.textContent = typed;
  return element;
}

function moreThan(count: number): HTMLElement {
  const element = document.createElement('span');
  element.className = 'link-chips-more';
  element.textContent = t.more(count);
  return element;
}
