import { refused, type Members } from './body-members';

/** Reads the member `dryRun`; `false` if it is absent. @throws AppError `invalid_request` */
export function readDryRun({ dryRun = false }: Members): boolean {
  if (typeof dryRun === 'boolean') return dryRun;
  throw refused('dryRun', 'wrong_type', 'must be true or false');
}
