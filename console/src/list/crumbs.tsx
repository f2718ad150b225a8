import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { text } from '../text/text';
import './list.css';

export interface Crumb {
  readonly name: string;
  readonly to: string;
}

/** Breadcrumbs of a page. A phone shows only the parent. */
export function Crumbs({ way }: { readonly way: readonly Crumb[] }): ReactNode {
  return (
    <nav aria-label={text.frame.breadcrumbs}>
      <ol className="crumbs">
        {way.map(({ name, to }) => (
          <li key={to}>
            <Anchor component={Link} to={to} size="sm" title={name} className="crumb">
              {name}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );
}
