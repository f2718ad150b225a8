import type { User } from '../api/types';

/** What can be done with a user, each in a dialog of its own. */
export type UserTask = 'role' | 'suspension' | 'link';

/** What each of these dialogs is given. */
export interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}
