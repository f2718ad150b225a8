/** Requirements of a password. */
export const PASSWORD_HINT = '10 to 200 characters. Several words in a row are easy to remember.';
