import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { PUBLIC_API } from '../http/access';
import { packageDirectory } from '../process/package-directory';
import { GUIDES } from './naming';

/** Folders of `docs` whose pages are guides. Those for operators and developers are not. */
const FOLDERS = ['api', 'connections'];
const SINGLE_PAGES = [
  'clients',
  'connections',
  'keep-a-copy',
  'keep-copies',
  'mcp',
  'receive-webhooks',
  'scheduled-imports',
];

/** Index of the guides. Its links, in their order, are the navigation. */
const INDEX = 'api/README';

/** A page of `docs` as HTML. */
export interface Guide {
  readonly title: string;
  /** HTML without scripts and styles: HTML in Markdown is shown as text. */
  readonly content: string;
}

/** A link of the navigation. */
interface GuideLink {
  readonly title: string;
  readonly url: string;
}

/** The guides in `docs`, as HTML. */
export class Guides {
  private readonly folder = join(packageDirectory(), 'docs');
  private readonly names: ReadonlySet<string> = new Set(
    [...SINGLE_PAGES, ...FOLDERS.flatMap((one) => this.in(one))].filter((name) =>
      existsSync(this.pathOf(name)),
    ),
  );
  private readonly markdown = new MarkdownIt();
  /** Returns a text as HTML that shows it. */
  readonly escaped = this.markdown.utils.escapeHtml;

  constructor() {
    this.markdown.core.ruler.push('guides', ({ tokens, env }) => {
      const { name } = env as { name: string };
      const anchors = new Map<string, number>();
      for (const [index, token] of tokens.entries()) {
        const text = tokens[index + 1]?.content ?? '';
        if (token.type === 'heading_open') token.attrSet('id', anchorOf(text, anchors));
        // A keyboard can scroll it.
        if (token.type === 'table_open') token.attrSet('tabindex', '0');
        if (token.children) this.changeLinks(token.children, name);
      }
    });
  }

  /** Returns a guide by its path in `docs` without `.md`, such as `api/rows`; null if there is none. */
  find(name: string): Guide | null {
    const own = name === '' ? INDEX : name;
    if (!this.names.has(own)) return null;
    const text = this.read(own);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? own;
    return { title, content: this.markdown.render(text, { name: own }) };
  }

  /** Returns the links to all guides, in reading order. */
  links(): readonly GuideLink[] {
    const found = new Map<string, string>();
    for (const [, title = '', href = ''] of this.read(INDEX).matchAll(
      /\[([^\]]+)\]\(([^)#]+)\)/g,
    )) {
      const url = this.target(href, INDEX);
      if (url?.startsWith(GUIDES) && !found.has(url)) found.set(url, title);
    }
    return [...found].map(([url, text]) => ({
      title: `${text.charAt(0).toUpperCase()}${text.slice(1)}`,
      url,
    }));
  }

  /** Leads links to the pages of the service. A link to a page that it does not serve becomes text. */
  private changeLinks(tokens: readonly InlineToken[], name: string): void {
    const open: (InlineToken | undefined)[] = [];
    for (const token of tokens) {
      if (token.type === 'link_open') {
        const url = this.target(String(token.attrGet('href') ?? ''), name);
        open.push(url === null ? undefined : token);
        if (url === null) token.hidden = true;
        else token.attrSet('href', url);
      } else if (token.type === 'link_close' && open.pop() === undefined) {
        token.hidden = true;
      }
    }
  }

  /** Returns the URL of a link in the page `name`; null if the service does not serve its target. */
  private target(href: string, name: string): string | null {
    if (/^(https?:|#)/.test(href)) return href;
    const [file = '', anchor] = href.split('#');
    const path = posix.join(posix.dirname(name), file);
    if (path === 'openapi.json') return `/${PUBLIC_API}/openapi.json`;
    const page = path.replace(/\.md$/, '');
    if (!this.names.has(page)) return null;
    const url = page === INDEX ? GUIDES : `${GUIDES}/${page}`;
    return anchor === undefined ? url : `${url}#${anchor}`;
  }

  private in(folder: string): string[] {
    const path = join(this.folder, folder);
    const files = existsSync(path) ? readdirSync(path) : [];
    return files
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file.slice(0, -'.md'.length)}`);
  }

  private pathOf(name: string): string {
    return join(this.folder, `${name}.md`);
  }

  private read(name: string): string {
    const text = readFileSync(this.pathOf(name), 'utf8');
    return text.replaceAll(/^<!--.*-->\n\n?/gm, '');
  }
}

/** What a link needs of a token of markdown-it. */
interface InlineToken {
  readonly type: string;
  hidden: boolean;
  attrGet(name: string): string | number | null;
  attrSet(name: string, value: string): void;
}

/** Returns the anchor of a heading, as GitHub creates it. @param counts Anchors before it. */
function anchorOf(title: string, counts: Map<string, number>): string {
  const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '');
  const anchor = words.replaceAll(' ', '-');
  const count = counts.get(anchor) ?? 0;
  counts.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${String(count)}`;
}
