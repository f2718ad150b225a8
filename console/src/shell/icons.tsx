import type { ReactNode } from 'react';
import { Icon } from '../common/icon';

export const MenuIcon = (): ReactNode => <Icon size={20} path="M4 6h16M4 12h16M4 18h16" />;

export const SearchIcon = (): ReactNode => (
  <Icon size={16} path="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l4.500 4.500" />
);

export const SunIcon = (): ReactNode => (
  <Icon
    size={20}
    path="M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5"
  />
);

export const MoonIcon = (): ReactNode => (
  <Icon size={20} path="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" />
);

export const ScreenIcon = (): ReactNode => <Icon size={20} path="M4 5h16v11H4ZM9 20h6M12 16v4" />;

export const UserIcon = (): ReactNode => (
  <Icon size={20} path="M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4 20c1.5-4 4.5-5 8-5s6.5 1 8 5" />
);

export const GridIcon = (): ReactNode => (
  <Icon size={18} path="M4 5h16v14H4ZM4 10h16M10 10v9M4 14.5h16" />
);

export const WebhookIcon = (): ReactNode => (
  <Icon
    size={18}
    path="M9 8a3 3 0 1 1 4.5 2.6L17 16M12 8.5l-3.5 6.500M17 13.500a3 3 0 1 1-2 5.300M8 20a3 3 0 1 1 0-6M8 17h8"
  />
);

export const ConnectionIcon = (): ReactNode => (
  <Icon
    size={18}
    path="M12 4c4.4 0 7 1.3 7 3s-2.6 3-7 3-7-1.3-7-3 2.6-3 7-3ZM5 7v10c0 1.7 2.6 3 7 3s7-1.3 7-3V7M5 12c0 1.7 2.6 3 7 3s7-1.3 7-3"
  />
);

export const SqlIcon = (): ReactNode => (
  <Icon size={18} path="M4 5h16v14H4ZM7.500 9.500l2.500 2.500-2.500 2.500M12.500 15h4" />
);

export const KeyIcon = (): ReactNode => (
  <Icon size={18} path="M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 12l8-8M16 7l3 3M14 9l2 2" />
);

export const RequestsIcon = (): ReactNode => (
  <Icon size={18} path="M4 6h16M4 12h10M4 18h7M17 13v6M14 16.500l3 3 3-3" />
);

export const ShieldIcon = (): ReactNode => (
  <Icon size={18} path="M12 3l7 3v5c0 4.500-3 8-7 10-4-2-7-5.500-7-10V6ZM9 12l2 2 4-4" />
);

export const UsersIcon = (): ReactNode => (
  <Icon
    size={18}
    path="M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM3 20c.5-3.5 3-5 6-5s5.5 1.5 6 5M16 5.500a3.5 3.5 0 0 1 0 6.500M17.5 15.500c2 .6 3.2 2.2 3.5 4.5"
  />
);

export const AuditIcon = (): ReactNode => (
  <Icon size={18} path="M6 3h9l4 4v14H6ZM14 3v5h5M9.5 12.500h6M9.5 16.500h6" />
);

export const TrashIcon = (): ReactNode => (
  <Icon size={18} path="M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10.5 11v5M13.5 11v5" />
);

export const BookIcon = (): ReactNode => (
  <Icon size={18} path="M5 4h10a4 4 0 0 1 4 4v12H9a4 4 0 0 1-4-4ZM9 8.5h6M9 12.500h6" />
);

export const StartIcon = (): ReactNode => <Icon size={18} path="M5 12.500l4.5 4.500L19 7.5" />;

export const SidebarIcon = (): ReactNode => <Icon size={18} path="M4 5h16v14H4ZM10 5v14" />;

export const PlusIcon = (): ReactNode => <Icon size={16} path="M12 5v14M5 12h14" />;

export const FilterIcon = (): ReactNode => <Icon size={16} path="M4 6h16M7 12h10M10 18h4" />;

export const ColumnsIcon = (): ReactNode => (
  <Icon size={16} path="M4 5h16v14H4ZM9.500 5v14M14.500 5v14" />
);

export const RefreshIcon = (): ReactNode => (
  <Icon size={16} path="M19.500 11a7.800 7.800 0 1 0-2 6.300M20 5v6h-6" />
);

export const ClockIcon = (): ReactNode => (
  <Icon size={16} path="M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4.500l3 2" />
);

export const CodeIcon = (): ReactNode => <Icon size={16} path="M8 7l-5 5 5 5M16 7l5 5-5 5" />;

export const ViewIcon = (): ReactNode => <Icon size={16} path="M4 5h16v14H4ZM4 10h16M9 10v9" />;

export const DownIcon = (): ReactNode => <Icon size={14} path="M6 9l6 6 6-6" />;
