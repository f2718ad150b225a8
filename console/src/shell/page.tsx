import { Group, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

const PRODUCT = 'Datagrids';

let hasShownOne = false;

export interface PageProps {
  /** The heading, and the window's title. */
  readonly title: string;
  /** Breadcrumbs and the like, over the heading. */
  readonly above?: ReactNode;
  /** Beside the heading. */
  readonly actions?: ReactNode;
  /** As wide and high as the window, for what scrolls by itself. */
  readonly isFull?: boolean;
  /** A form alone on its page. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** The title as the reader of a screen hears it, and the focus on the heading after a navigation. */
export function Page(props: PageProps): ReactNode {
  const { title, above, actions, isFull = false, isNarrow = false, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
  useEffect(() => {
    // The first page is read from its top by itself.
    if (hasShownOne) heading.current?.focus();
    hasShownOne = true;
  }, []);
  return (
    <div className={`page${isFull ? ' page-full' : ''}${isNarrow ? ' page-narrow' : ''}`}>
      {above}
      <Group justify="space-between" mb="lg">
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </div>
  );
}
