import { checkEmail, checkUrl } from './address-values';
import type { ValueCheck } from './checked';
import { multiSelectCheck, selectCheck } from './choice-values';
import type { ColumnOptions, ColumnType } from './column-type';
import { checkDate } from './date-value';
import { checkDatetime } from './datetime-value';
import { checkDecimal } from './decimal-value';
import { checkInteger, checkNumber } from './number-values';
import { checkBoolean, checkJson, checkText } from './simple-values';

/** Returns the check of a column's values. Created once per column, called once per value. */
export function valueCheckFor(type: ColumnType, options: ColumnOptions): ValueCheck {
  switch (type) {
    case 'text':
      return checkText;
    case 'integer':
      return checkInteger;
    case 'number':
      return checkNumber;
    case 'decimal':
      return checkDecimal;
    case 'boolean':
      return checkBoolean;
    case 'date':
      return checkDate;
    case 'datetime':
      return checkDatetime;
    case 'select':
      return selectCheck(options.choices ?? []);
    case 'multiSelect':
      return multiSelectCheck(options.choices ?? []);
    case 'email':
      return checkEmail;
    case 'url':
      return checkUrl;
    case 'json':
      return checkJson;
  }
}
