import { detectFormat } from './source';

describe('the format of a file', () => {
  it.each([
    ['a web page', '\uFEFF<!DOCTYPE html>\n<html>'],
    ['a table of HTML that is called .xls', '<html xmlns:x="urn:x">\n<table>'],
    ['an error in XML', '\n<?xml version="1.0"?><Error/>'],
  ])('is not detected for %s, and a message says what to do', async (_, text) => {
    await expect(detectFormat(new File([text], 'a.csv'))).rejects.toThrow(
      'This is a web page or XML. Open it in a spreadsheet, and save it as .xlsx or CSV.',
    );
  });

  it('is CSV for a header that begins with <', async () => {
    const file = new File(['<18,18-65\n1,2\n'], 'a.csv');
    expect(await detectFormat(file)).toMatchObject({ kind: 'csv', hasHeader: true });
  });
});
