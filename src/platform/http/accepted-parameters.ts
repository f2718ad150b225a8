const accepted = new WeakMap<object, readonly string[]>();
const takingAny = new WeakSet<object>();

/** Notes that a handler takes query parameters of these names. */
export function acceptParameters(
  prototype: object,
  method: string | symbol | undefined,
  names: readonly string[],
): void {
  const handler = handlerOf(prototype, method);
  accepted.set(handler, [...acceptedParameters(handler), ...names]);
}

/** The query parameters that a handler takes. */
export function acceptedParameters(handler: object): readonly string[] {
  return accepted.get(handler) ?? [];
}

/** Notes that a handler takes whatever parameters there are. */
export function acceptAnyParameter(handler: object): void {
  takingAny.add(handler);
}

export function acceptsAnyParameter(handler: object): boolean {
  return takingAny.has(handler);
}

function handlerOf(prototype: object, method: string | symbol | undefined): object {
  return (prototype as Record<string | symbol, object>)[method ?? ''] ?? {};
}
