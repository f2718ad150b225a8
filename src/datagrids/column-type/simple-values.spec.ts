import { valueCheckFor } from './value-check';

describe('text', () => {
  const check = valueCheckFor('text', {});

  it.each([[''], ['  a  '], ['x'.repeat(100_000)]])('keeps a string as it is', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([[1], [true], [[]], [{}]])('refuses %j', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
  });
});

describe('boolean', () => {
  const check = valueCheckFor('boolean', {});

  it('holds true and false', () => {
    expect(check(true)).toEqual({ ok: true, value: true });
    expect(check(false)).toEqual({ ok: true, value: false });
  });

  it.each([['true'], [1], [0], ['']])('refuses %j', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
  });
});

describe('json', () => {
  const check = valueCheckFor('json', {});

  it.each([[{ a: [null, 1] }], [[]], ['text'], [1.5], [false]])('holds %j', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([[Infinity], [Symbol('x')], [(): void => undefined]])(
    'refuses what is no JSON',
    (value) => {
      expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
    },
  );
});

describe('select', () => {
  const check = valueCheckFor('select', { choices: ['red', 'blue'] });

  it('holds a choice', () => {
    expect(check('blue')).toEqual({ ok: true, value: 'blue' });
  });

  it.each([
    ['Blue', 'not_a_choice'],
    ['', 'not_a_choice'],
    ['__proto__', 'not_a_choice'],
    [['red'], 'wrong_type'],
    [1, 'wrong_type'],
  ])('refuses %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});

describe('multiSelect', () => {
  const check = valueCheckFor('multiSelect', { choices: ['red', 'green', 'blue'] });

  it.each([[[]], [['blue']], [['green', 'red']]])('holds %j, in that order', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([
    [['red', 'red'], 'duplicate_choice'],
    [['red', 'pink'], 'not_a_choice'],
    [['red', 1], 'wrong_type'],
    [['red', null], 'wrong_type'],
    ['red', 'wrong_type'],
    [{ 0: 'red' }, 'wrong_type'],
  ])('refuses %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});
