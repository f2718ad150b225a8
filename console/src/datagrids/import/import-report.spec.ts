import { fileHeaders, rejectedCsv } from './import-report';

describe('rejectedCsv', () => {
  it('prints one line for each reason, quoted as in RFC 4180', () => {
    const file = rejectedCsv([
      {
        line: 3,
        details: [
          { field: 'depth', message: 'must be a number, such as -12.5' },
          { field: 'name', message: 'is "taken"' },
        ],
      },
      { line: 9, details: [{ field: 'line', message: 'ends early' }] },
    ]);
    expect(file.split('\r\n')).toEqual([
      'line,column,reason',
      '3,depth,"must be a number, such as -12.5"',
      '3,name,"is ""taken"""',
      '9,line,ends early',
    ]);
  });
});

describe('fileHeaders', () => {
  it('derives the headers from the file name', () => {
    expect(fileHeaders('lakes.csv')).toEqual({ 'Content-Type': 'text/csv' });
    expect(fileHeaders('lakes.NDJSON.gz')).toEqual({
      'Content-Type': 'application/x-ndjson',
      'Content-Encoding': 'gzip',
    });
    expect(fileHeaders('lakes.txt.gz')).toMatchObject({ 'Content-Encoding': 'gzip' });
  });
});
