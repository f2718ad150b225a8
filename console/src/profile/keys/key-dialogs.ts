import { lazy } from 'react';

/** Dialogs of keys, which are loaded when they open. Show them inside `Suspense`. */
export const CreateKeyDialog = lazy(() => import('./create-key-dialog'));

export const RotateKeyDialog = lazy(async () => ({
  default: (await import('./rotate-key-dialog')).RotateKeyDialog,
}));
