import { Group, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

const PRODUCT = 'Datagrids';

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
  const { pathname } = useLocation();
  const isFirst = useNavigationType() === NavigationType.Pop;
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    // Another filter or page of a list is the same page: the focus stays where it is.
  }, [pathname]);
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
