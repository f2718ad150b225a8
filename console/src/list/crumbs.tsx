import { Anchor, Breadcrumbs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

export interface Crumb {
  readonly name: string;
  readonly to: string;
}

/** Breadcrumbs of a page. */
export function Crumbs({ way }: { readonly way: readonly Crumb[] }): ReactNode {
  return (
    <nav aria-label="Breadcrumbs" className="crumbs">
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
