import { ActionIcon, Kbd } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Session } from '../api/types';
import { text } from '../text/text';
import { ColorSchemeButton } from './color-scheme-button';
import { MenuIcon, SearchIcon } from './icons';
import { Logo } from './logo';
import { UserMenu } from './user-menu';

interface HeaderProps {
  /** Undefined if nobody is signed in. */
  readonly session: Session | undefined;
  /** Opens the navigation; undefined if it is beside the page. */
  readonly onMenu: (() => void) | undefined;
  /** Opens the palette; undefined if the user can open only pages of the profile. */
  readonly onSearch: (() => void) | undefined;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Header({ session, onMenu, onSearch }: HeaderProps): ReactNode {
  return (
    <header className="shell-header">
      {onMenu && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          c="inherit"
          aria-haspopup="dialog"
          aria-label={text.nav.open}
          onClick={onMenu}
        >
          <MenuIcon />
        </ActionIcon>
      )}
      <Link to="/" className="shell-brand">
        <Logo />
        {text.product}
      </Link>
      {session && <span className="shell-account">{session.account.name}</span>}
      <div className="shell-tools">
        {onSearch && (
          <button
            type="button"
            className="shell-search"
            aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
            onClick={onSearch}
          >
            <SearchIcon />
            <span className="shell-search-label">{text.palette.open}</span>
            <Kbd size="xs">{isApple ? text.palette.appleKey : text.palette.key}</Kbd>
          </button>
        )}
        <ColorSchemeButton />
        {session && <UserMenu session={session} />}
      </div>
    </header>
  );
}
