import { isApiError, messageOf } from '../api/api-error';

export interface FormErrors<Field extends string> {
  /** What the server says of each field, to stand next to it. */
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** What belongs to none of the fields. */
  readonly rest: string | undefined;
}

/** Sorts a failure into the fields of a form. Names are those of the request's members. */
export function formErrors<Field extends string>(
  error: unknown,
  names: readonly Field[],
): FormErrors<Field> {
  const fields: Partial<Record<Field, string>> = {};
  if (error === null || error === undefined) return { fields, rest: undefined };
  const details = isApiError(error) ? error.details : [];
  const others: string[] = [];
  for (const { field, message } of details) {
    const name = names.find((one) => one === field);
    if (name === undefined) others.push(`${field}: ${message}`);
    else fields[name] ??= sentence(message);
  }
  if (details.length === 0) return { fields, rest: waitingMessage(error) };
  return { fields, rest: others.length ? others.join('; ') : undefined };
}

/** The server's fragments follow the field's name; here they stand alone. */
function sentence(fragment: string): string {
  return `${fragment.charAt(0).toUpperCase()}${fragment.slice(1)}.`.replace(/\.\.$/, '.');
}

function waitingMessage(error: unknown): string {
  if (!isApiError(error)) return messageOf(error);
  if (error.isOutage) return `${error.message} Nothing you typed is lost: try again in a moment.`;
  if (error.code !== 'rate_limited' || !error.retryAfterSeconds) return error.message;
  return `${error.message} Try again in ${error.retryAfterSeconds} s.`;
}
