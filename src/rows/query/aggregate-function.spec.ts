import { COLUMN_TYPE_NAMES } from '../../datagrids/column-type/column-type';
import { AGGREGATE_FUNCTIONS, takesType } from './aggregate-function';

const functionsOf = (type: (typeof COLUMN_TYPE_NAMES)[number]): string =>
  AGGREGATE_FUNCTIONS.filter((name) => takesType(name, type)).join(' ');

it('Each column type has the functions that the documentation lists', () => {
  const numbers = 'count countDistinct sum avg min max';
  const ordered = 'count countDistinct min max';
  expect(COLUMN_TYPE_NAMES.map((type) => [type, functionsOf(type)])).toEqual([
    ['text', ordered],
    ['integer', numbers],
    ['number', numbers],
    ['decimal', numbers],
    ['boolean', 'count countDistinct'],
    ['date', ordered],
    ['datetime', ordered],
    ['select', 'count countDistinct'],
    ['multiSelect', 'count'],
    ['email', ordered],
    ['url', ordered],
    ['json', 'count'],
    ['link', 'count countDistinct'],
    ['multiLink', 'count'],
    ['lookup', ''],
    ['count', ''],
    ['autonumber', numbers],
    ['createdBy', ordered],
    ['updatedBy', ordered],
  ]);
});
