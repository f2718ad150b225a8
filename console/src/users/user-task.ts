import type { User } from '../api/types';

/** Actions on a user, each with its own dialog. */
export type UserTask = 'role' | 'workspaces' | 'suspension' | 'link' | 'factor';

/** Properties of these dialogs. */
export interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}
