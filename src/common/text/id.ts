import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUIDv7: ids made later sort later. */
export function newId(): string {
  return v7();
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
