/** What the server asks of a password. */
export const PASSWORD_HINT = '10 to 200 characters. Some words in a row are easy to keep in mind.';
