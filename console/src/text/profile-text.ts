import { EN_PROFILE } from './en/profile';

/**
 * The texts of API keys, sessions and the password in the language of the console. They load with
 * the pages of the profile. A translation is another object of the same type, chosen here.
 */
export const profileText: typeof EN_PROFILE = EN_PROFILE;
