/** Messages of PostgreSQL's protocol, as a server sends them. */

/** Returns a message of PostgreSQL's protocol. */
export function message(type: string, body: string | Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

export function int(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

export const READY = message('Z', 'I');
export const CLEARTEXT = message('R', int(3, 4));
export const DONE = message('C', 'UPDATE 1\0');
export const DONE_AND_READY = Buffer.concat([DONE, READY]);
export const COPY_IN = message('G', Buffer.alloc(3));
export const FAILED = message('E', 'SERROR\0VERROR\0C42P01\0Mboom\0\0');

/** Describes columns of texts. */
export const columns = (...names: readonly string[]): Buffer =>
  message(
    'T',
    Buffer.concat([
      int(names.length, 2),
      ...names.map((name) =>
        Buffer.concat([
          Buffer.from(`${name}\0`),
          Buffer.alloc(6),
          int(25, 4),
          int(-1, 2),
          int(-1, 4),
          int(0, 2),
        ]),
      ),
    ]),
  );

export const row = (...values: readonly (string | null)[]): Buffer =>
  message(
    'D',
    Buffer.concat([
      int(values.length, 2),
      ...values.flatMap((value) =>
        value === null ? [int(-1, 4)] : [int(value.length, 4), Buffer.from(value)],
      ),
    ]),
  );

export const rows = (names: readonly string[], ...values: readonly (readonly string[])[]): Buffer =>
  Buffer.concat([columns(...names), ...values.map((one) => row(...one)), DONE_AND_READY]);
