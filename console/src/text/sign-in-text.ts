import { EN_SIGN_IN } from './en/sign-in';

/** The texts of the pages that need no session, in the language of the console. They load with their pages. */
export const signInText: typeof EN_SIGN_IN = EN_SIGN_IN;
