import type { Plugin } from 'vite';

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g;
const ROOT = '<div id="root">';

/**
 * Moves the stylesheets from the head behind the skeleton of the page. In the head, they would
 * delay the first paint until they have arrived. They stay before the root, because the styles that
 * components create there must win.
 */
export const stylesAfterSkeleton = (): Plugin => ({
  name: 'styles-after-skeleton',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const links = html.match(STYLESHEET) ?? [];
      if (links.length === 0) throw new Error('The page has no stylesheet to move.');
      const styles = links.join('').trim();
      return html.replace(STYLESHEET, '').replace(ROOT, `${styles}\n    ${ROOT}`);
    },
  },
});
