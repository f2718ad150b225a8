import { Group, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { text } from '../text/text';

let hasShownOne = false;

export interface PageProps {
  /** Heading of the page and title of the window. */
  readonly title: string;
  /** Content above the heading, such as breadcrumbs. */
  readonly above?: ReactNode;
  /** Status of the object, after its name. */
  readonly badge?: ReactNode;
  /** Buttons at the end of the line of the heading. */
  readonly actions?: ReactNode;
  /** What the page shows, or the description of its object. */
  readonly intro?: ReactNode;
  /** True if the page fills the window, for content that scrolls by itself. */
  readonly isFull?: boolean;
  /** True for a page with a single form. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/**
 * Sets the title of the window. After a navigation it focuses the heading, unless an element of the
 * page has taken the focus.
 */
export function Page(props: PageProps): ReactNode {
  const { title, above, badge, actions, intro, isFull = false, isNarrow = false } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${text.product}`;
  }, [title]);
  useEffect(() => {
    // Screen readers read the first page from its top anyway.
    const isTaken = heading.current?.closest('.page')?.contains(document.activeElement) === true;
    if (hasShownOne && !isTaken) heading.current?.focus();
    hasShownOne = true;
  }, []);
  return (
    <div className={`page${isFull ? ' page-full' : ''}${isNarrow ? ' page-narrow' : ''}`}>
      {above}
      <Group justify="space-between" className="page-heading">
        <Group gap="sm">
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {badge}
        </Group>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {intro && (
        <Text size="sm" c="dimmed" className="page-intro">
          {intro}
        </Text>
      )}
      {props.children}
    </div>
  );
}
