import { readSharedRows, type SharedFailure, type SharedPage } from '../api/shared-rows';
import { sharedViewText } from '../text/shared-view-text';
import logo from '../theme/favicon.svg';
import { element } from './element';
import { SharedTable } from './shared-table';

const LIMIT = 100;
/** Number of rows after which more are loaded only with the button, so that the page stays fast. */
const MAX_AUTOMATIC_ROWS = 2_000;

const MESSAGES: Readonly<Record<SharedFailure, string>> = {
  gone: sharedViewText.gone,
  changed: sharedViewText.changed,
  'too-large': sharedViewText.broken,
  broken: sharedViewText.broken,
  busy: sharedViewText.busy,
  unreachable: sharedViewText.unreachable,
};

/** The page of a public link: its rows, of which more are loaded when the end is near. */
export class SharedView {
  private table: SharedTable | undefined;
  private cursor = '';
  private limit = LIMIT;
  private isLoading = false;
  private readonly title = element('h1', {}, sharedViewText.loading);
  private readonly status = element('p', { className: 'status', role: 'status' });
  private readonly more = element('button', { type: 'button', hidden: true }, sharedViewText.more);
  private readonly end = element('div', { className: 'table-end' }, this.more);
  private readonly main = element('main', {});

  constructor(
    private readonly root: HTMLElement,
    /** Path of the page. */
    private readonly path: string,
  ) {}

  start(): void {
    const product = element('span', { className: 'product' }, logoOf(24), sharedViewText.product);
    this.root.append(element('header', {}, product, this.title, this.status), this.main);
    this.more.addEventListener('click', () => void this.load());
    void this.load();
  }

  private async load(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    this.more.disabled = true;
    const page = await readSharedRows(this.path, this.cursor, this.limit);
    this.isLoading = false;
    this.more.disabled = false;
    if (typeof page !== 'string') this.show(page);
    else if (page === 'too-large' && this.limit > 1) this.loadFewer();
    else this.fail(page);
  }

  private loadFewer(): void {
    this.limit = Math.max(1, Math.floor(this.limit / 4));
    void this.load();
  }

  private show({ data, meta }: SharedPage): void {
    this.title.textContent = meta.name;
    document.title = meta.name;
    if (!this.table) {
      this.table = new SharedTable(meta.columns, this.end);
      this.main.replaceChildren(this.table.root);
      this.watchEnd(this.table.root);
    }
    this.table.add(data);
    const { count } = this.table;
    this.cursor = meta.nextCursor ?? '';
    this.more.hidden = meta.nextCursor === null;
    const shown =
      count === 1 ? sharedViewText.oneShown : sharedViewText.shown(count.toLocaleString());
    const all = meta.nextCursor === null ? ` ${sharedViewText.all}` : '';
    this.status.textContent = count === 0 ? sharedViewText.none : `${shown}.${all}`;
  }

  /** Loads more rows whenever the end comes near. */
  private watchEnd(frame: HTMLElement): void {
    const watch = new IntersectionObserver(
      (entries) => {
        const isNear = entries.some(({ isIntersecting }) => isIntersecting);
        const isFull = (this.table?.count ?? 0) >= MAX_AUTOMATIC_ROWS;
        if (isNear && !this.more.hidden && !isFull) void this.loadWhileNear(watch);
      },
      { root: frame, rootMargin: '600px' },
    );
    watch.observe(this.end);
  }

  /** Observes the end again, because an observer tells only of changes. */
  private async loadWhileNear(watch: IntersectionObserver): Promise<void> {
    const before = this.table?.count;
    await this.load();
    if (this.table?.count === before) return;
    watch.unobserve(this.end);
    watch.observe(this.end);
  }

  private fail(failure: SharedFailure): void {
    if (failure === 'gone') {
      this.showGone();
      return;
    }
    const isOver = failure === 'changed';
    const button = element(
      'button',
      { type: 'button' },
      isOver ? sharedViewText.reload : sharedViewText.again,
    );
    const note = message(MESSAGES[failure], button);
    button.addEventListener('click', () => {
      if (isOver) location.reload();
      note.remove();
      void this.load();
    });
    if (!this.table) this.title.textContent = sharedViewText.product;
    this.more.hidden = true;
    this.main.append(note);
  }

  /** The page looks like that of an unknown address of the console. */
  private showGone(): void {
    this.title.textContent = sharedViewText.goneTitle;
    this.status.textContent = '';
    const note = message(MESSAGES.gone);
    const page = element('div', { className: 'gone' }, logoOf(48), this.title, note);
    this.main.replaceChildren(page);
  }
}

const logoOf = (size: number): Node =>
  element('img', { src: logo, alt: '', width: size, height: size });

function message(text: string, ...more: readonly Node[]): HTMLElement {
  return element('div', { className: 'message', role: 'alert' }, element('p', {}, text), ...more);
}
