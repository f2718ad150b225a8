import { isApiError, messageOf } from '../api/api-error';
import { text } from '../text/text';

export interface FormErrors<Field extends string> {
  /** Message for each field. */
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** Message without a field. */
  readonly rest: string | undefined;
}

/**
 * Assigns the messages of an error to the fields of a form, by the names of the request's
 * properties.
 */
export function formErrors<Field extends string>(
  error: unknown,
  names: readonly Field[],
): FormErrors<Field> {
  const fields: Partial<Record<Field, string>> = {};
  if (error === null || error === undefined) return { fields, rest: undefined };
  // A missing permission is not about a field.
  const details = isApiError(error) && error.code !== 'forbidden' ? error.details : [];
  const others: string[] = [];
  for (const { field, message } of details) {
    const name = names.find((one) => field === one || isItemOf(one, field));
    if (name === undefined) others.push(`${field}: ${message}`);
    else fields[name] ??= sentence(message);
  }
  if (details.length === 0) return { fields, rest: waitingMessage(error) };
  return { fields, rest: others.length ? others.join('; ') : undefined };
}

/** Returns whether a path such as `events.2` is an item of the list in a field. */
const isItemOf = (name: string, path: string): boolean =>
  path.startsWith(`${name}.`) && /^\d+$/.test(path.slice(name.length + 1));

/**
 * Returns a message of the server as a sentence. The server writes it to follow the name of a
 * field.
 */
function sentence(fragment: string): string {
  return `${fragment.charAt(0).toUpperCase()}${fragment.slice(1)}.`.replace(/\.\.$/, '.');
}

function waitingMessage(error: unknown): string {
  if (!isApiError(error)) return messageOf(error);
  if (error.isOutage) return text.server.notLost(error.message);
  if (error.code !== 'rate_limited' || !error.retryAfterSeconds) return error.message;
  return text.server.tryAgainIn(error.message, error.retryAfterSeconds);
}
