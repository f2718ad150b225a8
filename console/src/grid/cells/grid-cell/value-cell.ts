import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { linkAddress } from '../../../common/link-address';
import { isTime } from '../../../common/shown-time';
import { isLink } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../known-row';
import { linkChips, type LinkCellContext } from '../links/link-chips';
import { chipClasses } from '../choices/choice-color';
import '../choices/choice-color.css';
import { choicesOf, shownTyped } from '../values/shown-value';

type Params = ICellRendererParams<KnownRow, string> & {
  readonly of: Column;
  readonly mayEdit: boolean;
  readonly links: LinkCellContext;
};

/** Types whose values are drawn, and not shown as text alone. */
export function isDrawn(type: Column['type']): boolean {
  return (
    isTime(type) ||
    isLink(type) ||
    ['boolean', 'select', 'multiSelect', 'url', 'email'].includes(type)
  );
}

/** Draws checkboxes, choices, dates, addresses and linked rows. It is no React component, so that scrolling stays fast. */
export class ValueCell implements ICellRendererComp<KnownRow> {
  private readonly root = document.createElement('span');

  init(params: Params): void {
    this.root.className = 'value-cell';
    this.draw(params);
  }

  getGui(): HTMLElement {
    return this.root;
  }

  refresh(params: Params): boolean {
    this.draw(params);
    return true;
  }

  private draw(params: Params): void {
    const { of: column, value } = params;
    const text = value ?? '';
    if (column.type === 'boolean') this.root.replaceChildren(checkbox(params, text));
    else if (text === '') this.root.replaceChildren();
    else if (column.type === 'select') this.root.replaceChildren(chip(column, text));
    else if (column.type === 'multiSelect')
      this.root.replaceChildren(...choicesOf(text).map((choice) => chip(column, choice)));
    else if (isLink(column.type))
      this.root.replaceChildren(...linkChips(params.links, column, text));
    else if (isTime(column.type)) this.root.replaceChildren(timeOf(column, text));
    else {
      const shown = element('span', 'value-cell-text', text);
      this.root.replaceChildren(shown, ...linkTo(column, text));
    }
  }
}

/** A click toggles it. Keys use the cell: Space toggles. */
function checkbox({ of: column, node, mayEdit }: Params, text: string): HTMLElement {
  const box = element('span', 'cell-checkbox', '');
  box.dataset['on'] = text;
  box.append(element('span', 'visually-hidden', text));
  if (mayEdit) {
    box.addEventListener('click', () => {
      node.setDataValue(column.key, text === 'true' ? 'false' : 'true');
    });
  }
  return box;
}

function chip({ options }: Column, text: string): HTMLElement {
  return element('span', chipClasses(options.choices ?? [], text), text);
}

/** Returns a date or time for the reader, with the exact text as its title. */
function timeOf(column: Column, text: string): HTMLElement {
  const time = element('time', 'value-cell-text', shownTyped(column, text));
  time.setAttribute('datetime', text);
  time.title = text;
  return time;
}

/** Returns a link that opens in another tab, or nothing if the text is not an address. */
function linkTo({ type, title }: Column, text: string): HTMLElement[] {
  const address = linkAddress(type, text);
  if (address === undefined) return [];
  const link = document.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.className = 'cell-link';
  link.tabIndex = -1;
  link.setAttribute('aria-label', gridText.values.link(title));
  link.textContent = '↗';
  // The press selects no cell, and ends no edit.
  link.addEventListener('pointerdown', (event) => {
    event.stopPropagation();
  });
  return [link];
}

function element(name: string, className: string, text: string): HTMLElement {
  const created = document.createElement(name);
  created.className = className;
  created.textContent = text;
  return created;
}
