const accepted = new WeakMap<object, readonly string[]>();
const takingAny = new WeakSet<object>();

/** Registers query parameters that a handler accepts. */
export function acceptParameters(
  prototype: object,
  method: string | symbol | undefined,
  names: readonly string[],
): void {
  const handler = handlerOf(prototype, method);
  accepted.set(handler, [...acceptedParameters(handler), ...names]);
}

/** Returns the query parameters that a handler accepts. */
export function acceptedParameters(handler: object): readonly string[] {
  return accepted.get(handler) ?? [];
}

/** Registers that a handler accepts any query parameter. */
export function acceptAnyParameter(handler: object): void {
  takingAny.add(handler);
}

export function acceptsAnyParameter(handler: object): boolean {
  return takingAny.has(handler);
}

function handlerOf(prototype: object, method: string | symbol | undefined): object {
  return (prototype as Record<string | symbol, object>)[method ?? ''] ?? {};
}
