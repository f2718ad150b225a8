import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns a UUIDv7. Ids created later sort later. */
export function newId(): string {
  return v7();
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
