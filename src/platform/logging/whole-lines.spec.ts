import { WholeLines } from './whole-lines';

describe('WholeLines', () => {
  it('passes on lines once they are whole, also if a chunk ends within a character', () => {
    const written: string[] = [];
    const lines = new WholeLines((text) => written.push(text));
    const bytes = Buffer.from('{"a":"é"}\n{"b":1}\n{"c"');
    for (const byte of bytes) lines.add(Buffer.from([byte]));
    expect(written).toEqual(['{"a":"é"}\n', '{"b":1}\n']);
    lines.add(Buffer.from(':2}\n{"d":3}\n{'));
    expect(written.slice(2)).toEqual(['{"c":2}\n{"d":3}\n']);
  });

  it('ends the line of a process that was killed', () => {
    const written: string[] = [];
    const lines = new WholeLines((text) => written.push(text));
    lines.add(Buffer.from('{"a":1}\n{"b'));
    lines.end();
    lines.end();
    expect(written).toEqual(['{"a":1}\n', '{"b\n']);
  });

  it('keeps no more than a megabyte of a line', () => {
    const written: string[] = [];
    const lines = new WholeLines((text) => written.push(text));
    for (let part = 0; part < 3; part += 1) lines.add(Buffer.alloc(600_000, 'x'));
    expect(written.map(({ length }) => length)).toEqual([1_200_001]);
  });
});
