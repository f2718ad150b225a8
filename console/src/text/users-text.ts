import { EN_USERS } from './en/users';

/** The texts of the page of users, in the language of the console. They load with their pages. */
export const usersText: typeof EN_USERS = EN_USERS;
