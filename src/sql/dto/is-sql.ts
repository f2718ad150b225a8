import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

const MAX_SQL_CHARACTERS = 20_000;

const MESSAGE = `must be a string of 1 to ${MAX_SQL_CHARACTERS.toLocaleString('en-US')} characters`;

/** Validates and describes the text of a statement. */
export const IsSql = (): PropertyDecorator =>
  applyDecorators(
    // The first one decides the error of a value that is no string.
    IsString({ message: MESSAGE, context: { code: 'wrong_type' } }),
    MinLength(1, { message: MESSAGE, context: { code: 'out_of_range' } }),
    MaxLength(MAX_SQL_CHARACTERS, { message: MESSAGE, context: { code: 'out_of_range' } }),
    ApiProperty({ minLength: 1, maxLength: MAX_SQL_CHARACTERS }),
  );
