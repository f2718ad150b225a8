import { EN_AUDIT } from './en/audit';

/**
 * The texts of the audit log in the language of the console. They load with its page. A translation
 * is another object of the same type, chosen here.
 */
export const auditText: typeof EN_AUDIT = EN_AUDIT;
