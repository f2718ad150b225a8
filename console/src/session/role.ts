import type { Role } from '../api/types';

/** What the server would refuse is not offered. It checks each request all the same. */
export const mayWriteRows = (role: Role): boolean => role !== 'viewer';
export const mayWriteSchema = (role: Role): boolean => role === 'admin' || role === 'owner';
export const mayReadAudit = (role: Role): boolean => role === 'owner';
export const mayManageUsers = (role: Role): boolean => role === 'owner';
