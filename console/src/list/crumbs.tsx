import { Anchor, Breadcrumbs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { text } from '../text/text';

export interface Crumb {
  readonly name: string;
  readonly to: string;
}

/** Breadcrumbs of a page. */
export function Crumbs({ way }: { readonly way: readonly Crumb[] }): ReactNode {
  return (
    <nav aria-label={text.frame.breadcrumbs} className="crumbs">
      <Breadcrumbs>
        {way.map(({ name, to }) => (
          <Anchor component={Link} to={to} size="sm" key={to}>
            {name}
          </Anchor>
        ))}
      </Breadcrumbs>
    </nav>
  );
}
