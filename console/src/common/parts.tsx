import { createElement, Fragment, type ReactNode } from 'react';

/** Shows a text with elements in it, in the order of the translation. */
export function Parts({ of }: { readonly of: readonly ReactNode[] }): ReactNode {
  return createElement(Fragment, null, ...of);
}
