import { isApiError, messageOf } from '../../api/api-error';
import { text } from '../../text/text';

/** Returns why rows were not restored, as text for the user. */
export function restoreProblem(error: unknown): Error {
  const details = isApiError(error, 'conflict') ? error.details : [];
  if (details.length === 0) return new Error(messageOf(error));
  return new Error(
    details
      .map(({ field, message }) => {
        const [, id, key] = /^rows\.(\d+)\.values\.(.+)$/.exec(field) ?? [];
        return id === undefined ? sentence(message) : text.rowTrash.problem(id, key ?? '', message);
      })
      .join(' '),
  );
}

const sentence = (fragment: string): string =>
  `${fragment.charAt(0).toUpperCase()}${fragment.slice(1)}.`;
