const ACCEPTED = Symbol('accepted query parameters');

/** Notes that a handler takes query parameters of these names. */
export function acceptParameters(
  prototype: object,
  method: string | symbol | undefined,
  names: readonly string[],
): void {
  const handler = handlerOf(prototype, method);
  Reflect.defineMetadata(ACCEPTED, [...acceptedParameters(handler), ...names], handler);
}

/** The query parameters that a handler takes. */
export function acceptedParameters(handler: object): readonly string[] {
  return (Reflect.getMetadata(ACCEPTED, handler) as readonly string[] | undefined) ?? [];
}

export function handlerOf(prototype: object, method: string | symbol | undefined): object {
  return (prototype as Record<string | symbol, object>)[method ?? ''] ?? {};
}
