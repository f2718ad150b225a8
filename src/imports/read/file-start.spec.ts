import { AppError } from '../../common/error/app-error';
import type { Encoding } from './body-text';
import { checkedStart } from './file-start';

const little = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();

/** Returns the error for a file that arrives in chunks of a size; `null` if there is none. */
async function errorOf(
  file: Buffer,
  { size = file.length, encoding = null as Encoding | null, format = 'csv' } = {},
): Promise<string | null> {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < file.length; at += size) {
      yield await Promise.resolve(file.subarray(at, at + size));
    }
  };
  const read: Buffer[] = [];
  try {
    for await (const chunk of checkedStart(chunks(), { format, encoding })) read.push(chunk);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  expect(Buffer.concat(read)).toEqual(file);
  return null;
}

const noMark = (encoding: string): string =>
  `encoding: the file looks like UTF-16 without a byte order mark; send encoding=${encoding}`;
const page =
  'body: looks like a web page or XML; check the address and the sign-in of the program that downloaded the file';

describe('the start of a file', () => {
  it.each<[string, Buffer, string]>([
    ['UTF-16 with one delimiter', little('a;b\n1;2\n'), noMark('utf-16le')],
    ['big-endian UTF-16', big('name\tn\r\nx\t1\r\n'), noMark('utf-16be')],
    ['UTF-16 in Japanese', little('都市,人口\n東京,千四百万\n'), noMark('utf-16le')],
    ['big-endian UTF-16 in Japanese', big('都市,人口\n東京,千四百万\n'), noMark('utf-16be')],
    ['a web page', Buffer.from('\n<!DOCTYPE html>\n<html lang="en">'), page],
    ['a web page with a byte order mark', Buffer.from('\uFEFF<HTML>\n<body>'), page],
    ['an error in XML', Buffer.from('<?xml version="1.0"?><Error>'), page],
    [
      'a workbook',
      Buffer.from('PK\u0003\u0004\u0014\u0000'),
      'body: is a workbook or a ZIP archive, not text; save the sheet as CSV',
    ],
    [
      'a workbook of an old version of Excel',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'body: is a workbook of Excel, not text; save the sheet as CSV',
    ],
    [
      'a compressed file',
      Buffer.from('1f8b0800', 'hex'),
      'body: is compressed with gzip; send Content-Encoding: gzip',
    ],
  ])('tells what to do with %s, however it is cut', async (_, file, message) => {
    for (const size of [file.length, 3, 1]) expect(await errorOf(file, { size })).toBe(message);
  });

  it('tells that a file is not in the encoding that was sent', async () => {
    const utf8 = Buffer.from('name\nZürich\n');
    const message = 'encoding: the file is not utf-16le; send no encoding, or that of the file';
    expect(await errorOf(utf8, { encoding: 'utf-16le' })).toBe(message);
    expect(await errorOf(big('name\nx\n'), { encoding: 'utf-16le' })).toBe(noMark('utf-16be'));
    expect(await errorOf(little('n\nx\n'), { encoding: 'windows-1252' })).toBe(noMark('utf-16le'));
  });

  it.each<[string, Buffer, Encoding | null]>([
    ['UTF-8', Buffer.from('größe,<b>\n1,<html>\n'), null],
    ['a NUL character in a row', Buffer.from('name\na\n\u0000\nb\n'), null],
    ['a NUL character in a row that is not UTF-8', Buffer.from('name\n\xfc\n\0\n', 'latin1'), null],
    ['Windows-1252', Buffer.from('gr\xf6\xdfe\n1\n', 'latin1'), 'windows-1252'],
    ['UTF-16 as sent', little('name\n都\n'), 'utf-16le'],
    ['UTF-16 with a mark', little('\uFEFFname\nx\n'), null],
    ['UTF-16 without a line end', little('都市'), 'utf-16le'],
    ['a character that is cut', Buffer.from('name\nü').subarray(0, 6), null],
    ['nothing', Buffer.alloc(0), null],
  ])('accepts %s', async (_, file, encoding) => {
    for (const size of [Math.max(1, file.length), 1]) {
      expect(await errorOf(file, { size, encoding })).toBeNull();
    }
  });

  it('rejects a web page that is sent as NDJSON, and does not look for UTF-16 there', async () => {
    const html = Buffer.from('<!doctype html><title>Sign in</title>');
    expect(await errorOf(html, { format: 'ndjson', encoding: 'utf-8' })).toBe(page);
    expect(await errorOf(little('{}\n'), { format: 'ndjson', encoding: 'utf-8' })).toBeNull();
  });
});
